"""The rules by which texts are chosen. Each takes the remaining texts and names those it excludes, and why."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.exceptions import DesignError
from annotation.texts.selection.overlap import grams_of, share_within
from annotation.texts.selection.records import REFERENCE, Candidate
from annotation.texts.selection.tokens import bare_words, count_words, cut_after_words


@dataclass(slots=True)
class Effect:
    """What a rule does. out: the excluded ids, with a reason where each has its own. cuts: new body and place by id."""

    out: dict[str, str] = field(default_factory=dict)
    cuts: dict[str, tuple[str, int]] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """A rule's settings, checked when the plan was read. `seed` is the selection's."""

    settings: Mapping[str, object]
    seed: int

    def integer(self, name: str) -> int:
        value = self.settings[name]
        assert isinstance(value, int)  # noqa: S101 (checked by the plan)
        return value

    def share(self, name: str) -> float:
        value = self.settings[name]
        assert isinstance(value, int | float)  # noqa: S101 (checked by the plan)
        return float(value)

    def word(self, name: str) -> str:
        return str(self.settings[name])

    def words(self, name: str) -> list[str]:
        value = self.settings[name]
        assert isinstance(value, list | tuple)  # noqa: S101 (checked by the plan)
        return [str(word) for word in value]

    def pairs(self, name: str) -> dict[str, object]:
        value = self.settings[name]
        assert isinstance(value, Mapping)  # noqa: S101 (checked by the plan)
        return dict(value)


Rule = Callable[[Sequence[Candidate], Values], Effect]


def _remove_where(texts: Iterable[Candidate], goes: Callable[[Candidate], bool]) -> Effect:
    return Effect({text.id: "" for text in texts if goes(text)})


def minimum_words(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts of fewer words go."""
    minimum = values.integer("words")
    return _remove_where(texts, lambda text: count_words(text.body) < minimum)


def maximum_words(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts of more words go."""
    maximum = values.integer("words")
    return _remove_where(texts, lambda text: count_words(text.body) > maximum)


def starts_with(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts that begin otherwise go; capitals and quotation marks before make no difference."""
    beginning = values.word("text").casefold()
    return _remove_where(texts, lambda text: not text.body.lstrip(" \n\t\"'“‘").casefold().startswith(beginning))


def vocabulary(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts go in which more than a share of the words is outside a list, or outside the references' most frequent."""
    share = values.share("unknown")
    known = (
        set(values.words("words"))
        if "words" in values.settings
        else _frequent_words(texts, values.integer("most_frequent"))
    )

    def goes(text: Candidate) -> bool:
        words = bare_words(text.body)
        return sum(word not in known for word in words) > share * len(words)

    return _remove_where(texts, goes)


def _frequent_words(texts: Sequence[Candidate], count: int) -> set[str]:
    counts = Counter(word for text in texts if text.generator is None for word in bare_words(text.body))
    return {word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:count]}


def forbidden_words(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts with one of the words go."""
    refused = set(values.words("words"))
    return _remove_where(texts, lambda text: not refused.isdisjoint(bare_words(text.body)))


def duplicates(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts go that have the same words as an earlier text of the same side."""
    seen: set[tuple[str, bytes]] = set()
    effect = Effect()
    for text in texts:
        what = text.side, _digest_words(text.body)
        if what in seen:
            effect.out[text.id] = ""
        seen.add(what)
    return effect


def _digest_words(body: str) -> bytes:
    words = bare_words(body) or body.split()
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).digest()[:16]


def exclude(texts: Sequence[Candidate], values: Values) -> Effect:
    """Individual texts go, each with its reason. Raises DesignError for an id that no text of the study has."""
    named = {key: str(reason) for key, reason in values.pairs("texts").items()}
    left = {text.id for text in texts}
    already_out = sorted(set(named) - left)
    note = f"{len(already_out)} more were named and had left before" if already_out else ""
    return Effect({key: reason for key, reason in named.items() if key in left}, note=note)


def truncate(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts are cut at the end of the sentence that reaches the words; none goes."""
    effect = Effect()
    for text in texts:
        cut = cut_after_words(text.body, values.integer("words"))
        if cut is not None:
            effect.cuts[text.id] = cut.body, cut.at
    return effect


def overlap(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts go of whose words more than a share lies in a run of n words that a priming text has too."""
    n, max_share = values.integer("n"), values.share("share")
    grams = grams_of(values.words("priming"), n=n)
    return _remove_where(texts, lambda text: share_within(text.body, grams, n=n) > max_share)


def pairs(texts: Sequence[Candidate], values: Values) -> Effect:
    """Texts go whose context has lost a side: its reference, or one of (or all) the generators' texts."""
    generators = {text.generator for text in texts if text.generator and text.context}
    sides: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        if text.context:
            sides[text.context].add(text.side)

    def broken(text: Candidate) -> bool:
        if text.context is None:
            return False
        present = sides[text.context]
        models = present - {REFERENCE}
        return REFERENCE not in present or (models != generators if values.settings["every_generator"] else not models)

    return _remove_where(texts, broken)


def split(texts: Sequence[Candidate], values: Values) -> Effect:
    """Contexts (or texts without one) are drawn into disjoint splits; only the split that is judged stays.

    No two splits share a context or a wording. Raises DesignError where too few are left.
    """
    # By name: a database may keep the sizes in another order, and the draw must not depend on it.
    sizes = {name: int(str(size)) for name, size in sorted(values.pairs("sizes").items())}
    judged = values.word("judge")
    effect = Effect()
    for stratum, units in _group_by_stratum(texts, values.words("by")).items():
        drawn = _draw_splits(units, sizes, seed=values.seed, stratum=stratum)
        for name, size in sizes.items():
            have = sum(drawn_split == name for drawn_split in drawn.values())
            if have < size:
                where = " of " + ", ".join(part or "no name" for part in stratum) if stratum else ""
                raise DesignError(f"The split {name!r} needs {size} contexts or texts{where}; only {have} are left.")
        for unit, members in units.items():
            name = drawn.get(unit, "")
            for text in members:
                effect.splits[text.id] = name
                if name != judged:
                    effect.out[text.id] = f"split {name}" if name else "not drawn"
    counts = Counter(name for name in effect.splits.values() if name)
    effect.note = ", ".join(f"{counts[name]} texts in {name}" for name in sizes)
    return effect


Unit = tuple[str, str]


def _group_by_stratum(
    texts: Sequence[Candidate], by: Sequence[str]
) -> dict[tuple[str, ...], dict[Unit, list[Candidate]]]:
    """Texts by stratum, then by what is drawn as one: a context, or a text without one."""
    stratum_of: dict[Unit, tuple[str, ...]] = {}
    strata: dict[tuple[str, ...], dict[Unit, list[Candidate]]] = {}
    for text in texts:
        unit = ("context", text.context) if text.context else ("text", text.id)
        stratum = stratum_of.setdefault(unit, tuple(str(getattr(text, name)) for name in by))
        strata.setdefault(stratum, {}).setdefault(unit, []).append(text)
    return dict(sorted(strata.items()))


def _draw_splits(
    units: Mapping[Unit, Sequence[Candidate]], sizes: Mapping[str, int], *, seed: int, stratum: tuple[str, ...]
) -> dict[Unit, str]:
    """The split of each unit drawn. The order is that of a hash, so that it depends on nothing but seed and ids."""
    ranked = sorted(units, key=lambda unit: hashlib.sha256(repr((seed, stratum, unit)).encode()).digest())
    drawn: dict[Unit, str] = {}
    wordings: dict[bytes, str] = {}
    places = [name for name, size in sizes.items() for _ in range(size)]
    at = 0
    for unit in ranked:
        if at == len(places):
            break
        mine = {_digest_words(text.body) for text in units[unit]}
        if any(wordings.get(wording, places[at]) != places[at] for wording in mine):
            continue  # it says the same as a text of another split
        drawn[unit] = places[at]
        wordings.update(dict.fromkeys(mine, places[at]))
        at += 1
    return drawn
