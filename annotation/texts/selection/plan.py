"""A selection written down: its rules in order, each with its settings, as data that can be stored and run again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.exceptions import DesignError
from annotation.texts.selection import rules
from annotation.texts.selection.rules import Rule
from annotation.texts.selection.tokens import bare_words

Side = Literal["all", "references", "models"]
SIDES: tuple[Side, ...] = ("all", "references", "models")
STRATA = ("domain", "side")
MAX_WORDS = 200_000
MAX_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Step:
    """One rule with its settings. of: the texts it looks at."""

    rule: str
    settings: Mapping[str, Any]
    of: Side = "all"

    def describe(self) -> str:
        """The rule in words."""
        side = "" if self.of == "all" else f" (of {self.of})"
        return str(KINDS[self.rule].describe(self.settings)) + side

    def as_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "of": self.of, **self.settings}


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules in order, and the seed of every draw."""

    steps: tuple[Step, ...]
    seed: int

    def as_json(self) -> dict[str, Any]:
        return {"seed": self.seed, "steps": [step.as_json() for step in self.steps]}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rule: what runs it, its settings with their checks, its description, its default texts."""

    run: Rule
    settings: Mapping[str, Setting]
    describe: Any
    of: Side = "all"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting's form and default; NEEDED where there is none, None for one that may be absent."""

    form: str
    default: Any = None


NEEDED = object()


def plan_of(data: Mapping[str, Any], *, seed: int) -> Plan:
    """Read a plan from JSON or TOML; raises DesignError naming the step and the setting that is wrong."""
    unknown = sorted(set(data) - {"seed", "steps"})
    if unknown:
        raise DesignError(f"A selection has no {unknown[0]!r}; it has seed and steps.")
    plan_seed = data.get("seed", seed)
    if not isinstance(plan_seed, int) or isinstance(plan_seed, bool) or not 0 <= plan_seed < 2**63:
        raise DesignError(f"The seed of a selection is a whole number of 0 or more, not {plan_seed!r}.")
    steps = data.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str) or not steps:
        raise DesignError("A selection has at least one step.")
    return Plan(tuple(_read_step(at, step) for at, step in enumerate(steps, start=1)), plan_seed)


def _read_step(at: int, data: Any) -> Step:
    if not isinstance(data, Mapping) or data.get("rule") not in KINDS:
        raise DesignError(f"Step {at}: the rule must be one of {', '.join(KINDS)}.")
    kind, name = KINDS[data["rule"]], data["rule"]
    of = data.get("of", kind.of)
    if of not in SIDES:
        raise DesignError(f"Step {at}, {name}: `of` must be one of {', '.join(SIDES)}, not {of!r}.")
    unknown = sorted(set(data) - {"rule", "of", *kind.settings})
    if unknown:
        known = ", ".join(kind.settings) or "none"
        raise DesignError(f"Step {at}, {name}: there is no setting {unknown[0]!r} (there are: {known}).")
    settings = {}
    for key, setting in kind.settings.items():
        value = data.get(key, setting.default)
        if value is NEEDED:
            raise DesignError(f"Step {at}, {name}: {key!r} is missing.")
        if value is not None:
            settings[key] = _read_setting(value, setting.form, f"Step {at}, {name}: {key!r}")
    step = Step(name, settings, of)
    _check_together(step, f"Step {at}, {name}")
    return step


def _read_setting(value: Any, form: str, place: str) -> Any:
    """The value, if it has the form; raises DesignError with a sentence that says which form is needed."""
    if form == "reasons" and isinstance(value, Mapping):
        _require_reasons(value, place)
    checked = FORMS[form].read(value)
    if checked is UNFIT:
        raise DesignError(f"{place} must be {FORMS[form].words}, not {_shorten(value)}.")
    return checked


def _require_reasons(value: Mapping[Any, Any], place: str) -> None:
    blank = next((key for key, why in value.items() if not _is_text(why)), None)
    if blank is not None:
        raise DesignError(f"{place}: the exclusion of {blank!r} needs a reason.")


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10**9


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list_of(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(fits, value))


def _is_size(name: Any, size: Any) -> bool:
    return _is_text(name) and len(name) <= MAX_NAME_CHARS and _is_count(size)


def _read_share(value: Any) -> Any:
    fits = isinstance(value, int | float) and math.isfinite(value) and 0 <= value <= 1
    return float(value) if fits else UNFIT


def _read_texts(value: Any) -> Any:
    return list(value) if _is_list_of(value, _is_text) and value else UNFIT


def _read_words(value: Any) -> Any:
    if not _is_list_of(value, lambda word: isinstance(word, str)) or not 0 < len(value) <= MAX_WORDS:
        return UNFIT
    # A listed "don't!" is compared as the bare words of a text are.
    return sorted({word for text in value for word in bare_words(text)})


def _read_strata(value: Any) -> Any:
    return list(value) if _is_list_of(value, lambda stratum: stratum in STRATA) else UNFIT


def _read_reasons(value: Any) -> Any:
    return {str(key): why.strip() for key, why in value.items()} if isinstance(value, Mapping) and value else UNFIT


def _read_sizes(value: Any) -> Any:
    fits = isinstance(value, Mapping) and value and all(_is_size(name, size) for name, size in value.items())
    return dict(value) if fits else UNFIT


UNFIT = object()


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What a setting's value must be, in words, and the function that reads it: the value, or UNFIT."""

    words: str
    read: Callable[[Any], Any]


FORMS = {
    "count": ValueForm("a whole number of 1 or more", lambda value: value if _is_count(value) else UNFIT),
    "share": ValueForm("a share from 0 to 1", _read_share),
    "flag": ValueForm("true or false", lambda value: value if isinstance(value, bool) else UNFIT),
    "text": ValueForm("a text that is not blank", lambda value: value if _is_text(value) else UNFIT),
    "texts": ValueForm("a list of texts", _read_texts),
    "words": ValueForm(f"a list of 1 to {MAX_WORDS} words", _read_words),
    "strata": ValueForm(f"a list of {' and '.join(STRATA)}", _read_strata),
    "reasons": ValueForm("ids, each with a reason", _read_reasons),
    "sizes": ValueForm("names, each with a whole number of 1 or more", _read_sizes),
}


def _check_together(step: Step, place: str) -> None:
    settings = step.settings
    if step.rule == "vocabulary" and ("words" in settings) == ("most_frequent" in settings):
        raise DesignError(f"{place}: give either words or most_frequent.")
    if step.rule == "split" and settings["judge"] not in settings["sizes"]:
        raise DesignError(f"{place}: the judged split {settings['judge']!r} is not one of its sizes.")


def _describe_vocabulary(settings: Mapping[str, Any]) -> str:
    listed = f"a list of {len(settings['words'])} words" if "words" in settings else ""
    known = listed or f"the {settings['most_frequent']} most frequent words of the references"
    share = "no word" if settings["unknown"] == 0 else f"at most {settings['unknown']:.0%} of the words"
    return f"{share} outside {known}"


def _describe_split(settings: Mapping[str, Any]) -> str:
    sizes = ", ".join(f"{size} for {name}" for name, size in sorted(settings["sizes"].items()))
    each = f", in each {' and '.join(settings['by'])}" if settings["by"] else ""
    return f"drawn at random and disjoint: {sizes}{each}; {settings['judge']} is judged"


KINDS: dict[str, Kind] = {
    "minimum-words": Kind(
        rules.minimum_words, {"words": Setting("count", NEEDED)}, lambda settings: f"at least {settings['words']} words"
    ),
    "maximum-words": Kind(
        rules.maximum_words, {"words": Setting("count", NEEDED)}, lambda settings: f"at most {settings['words']} words"
    ),
    "starts-with": Kind(
        rules.starts_with, {"text": Setting("text", NEEDED)}, lambda settings: f"begins with {settings['text']!r}"
    ),
    "vocabulary": Kind(
        rules.vocabulary,
        {"words": Setting("words"), "most_frequent": Setting("count"), "unknown": Setting("share", 0.0)},
        _describe_vocabulary,
    ),
    "forbidden-words": Kind(
        rules.forbidden_words,
        {"words": Setting("words", NEEDED)},
        lambda settings: f"none of {len(settings['words'])} forbidden words",
    ),
    "duplicates": Kind(rules.duplicates, {}, lambda settings: "not the words of an earlier text of the same side"),
    "exclude": Kind(
        rules.exclude,
        {"texts": Setting("reasons", NEEDED)},
        lambda settings: f"not excluded individually ({len(settings['texts'])} named)",
    ),
    "truncate": Kind(
        rules.truncate,
        {"words": Setting("count", NEEDED)},
        lambda settings: f"cut at the end of the sentence that reaches {settings['words']} words",
    ),
    "overlap": Kind(
        rules.overlap,
        {"priming": Setting("texts", NEEDED), "share": Setting("share", 0.8), "n": Setting("count", 8)},
        lambda settings: (
            f"at most {settings['share']:.0%} of the words in runs of {settings['n']} words "
            f"that {len(settings['priming'])} priming texts have too"
        ),
        of="models",
    ),
    "pairs": Kind(
        rules.pairs,
        {"every_generator": Setting("flag", False)},
        lambda settings: (
            "its context has a reference and a text of "
            + ("every generator" if settings["every_generator"] else "a generator")
        ),
    ),
    "split": Kind(
        rules.split,
        {"sizes": Setting("sizes", NEEDED), "by": Setting("strata", ()), "judge": Setting("text", "evaluate")},
        _describe_split,
    ),
}
