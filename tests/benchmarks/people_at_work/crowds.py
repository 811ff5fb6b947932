"""The first set of crowds: readers of a blurred impression, and eight kinds of bad work.

What is assumed, and of whom it was published (read as descriptions; the numbers are ours where none is named):

- Careful readers perceive a text's place with a bias of their own and noise, and give the nearest label (Thurstone
  1927; Dawid and Skene 1979 for personal error rates). They read about 238 words a minute (Brysbaert 2019).
- Clickers give any label without reading, straight-liners one label with few exceptions: the random and the uniform
  spammers of Vuurens, de Vries and Eickhoff 2011; careless responding of Meade and Craig 2012. Some are fast (the "fast
  deceivers" of Gadiraju et al. 2015), some wait so as not to be noticed ("smart deceivers").
- Reversed scale: careful, but the ends are mistaken for each other (misresponse, Weijters et al. 2013).
- A colluding pair: one answers, the other copies (KhudaBukhsh, Carbonell and Jansen 2014).
- Two accounts: one person does the same tasks again (Kennedy et al. 2020), mostly from the same device, and mostly
  remembers.
- Tiring: careful until about the middle of a HIT, then clicks (Galesic and Bosnjak 2009; Bowling et al. 2021).
- Model-like: labels by a language model: compressed to the middle of the scale, nearly without noise, and with errors
  that all of them share (Veselovsky et al. 2023; Bisbee et al. 2024). They copy the label, so that the time does not
  depend on the text.
- Honest groups: terse; dictating (next to no key presses, text that comes at once); second language (reads slower, is
  less sure, explains in the own language); screen reader (hears 300 words a minute and more, and either works text by
  text or hears all and then answers in a row: Borodin et al. 2010); very slow; very fast (Rayner et al. 2016: up to
  400 words a minute without losing what was read).
- Families share a device and nothing else.
"""

from __future__ import annotations

import numpy as np

from tests.benchmarks.people_at_work.records import BAD_KINDS, GROUPS, HONEST, Crowd

LABELS, HITS, TEXTS, PER_HIT = 6, 16, 25, 20
PER_GROUP, PER_KIND, PAIRS = 3, 3, 2
HOUSEHOLDS = 2
REASON_EVERY = 5
SAME_DEVICE, REMEMBERS, COPIES = 0.85, 0.75, 0.9
WORDS = (
    "a",
    "the",
    "minister",
    "says",
    "prices",
    "rise",
    "after",
    "storm",
    "hits",
    "coast",
    "team",
    "wins",
    "final",
    "court",
    "rejects",
    "plan",
    "bank",
    "cuts",
    "rates",
    "in",
    "new",
    "year",
    "of",
    "talks",
    "police",
    "find",
    "old",
    "ship",
    "city",
    "opens",
    "bridge",
    "to",
    "traffic",
    "study",
    "warns",
    "about",
    "sleep",
    "farmers",
    "ask",
    "for",
    "rain",
)
LONG = ("I think", "that the", "words here", "are odd", "because", "nobody would", "say it", "in a paper", "like this")
TERSE = ("odd verb", "fine", "too short", "plausible", "rare", "typical")
GERMAN = ("das klingt", "sehr", "seltsam", "weil", "die Wörter", "nicht zusammen", "passen", "wie in", "der Zeitung")


def draw(seed: int) -> Crowd:
    """One study of 16 HITs of 25 texts, 20 people each; people do 2 to 5 HITs."""
    rng = np.random.default_rng((26, seed))
    kind, group, partner, household, shares = _people(rng)
    hits_of = _allot(shares, partner, rng)
    texts = [" ".join(rng.choice(WORDS, rng.integers(8, 46))) for _ in range(HITS * TEXTS)]
    place = np.clip(rng.normal(2.6, 1.1, len(texts)), -0.5, LABELS - 0.5)
    model_place = 2.6 + 0.6 * (place - 2.6) + rng.normal(0, 0.45, len(texts))
    order = [np.arange(h * TEXTS, (h + 1) * TEXTS) for h in range(HITS)]
    style = _styles(group, rng)
    device = _devices(kind, partner, household, rng)
    columns: dict[str, list] = {name: [] for name in ("person", "hit", "accepted", "seconds", "device")}
    lines: dict[str, list] = {name: [] for name in ("assignment", "text", "label", "active")}
    reasons: list[tuple[int, str, int, int]] = []
    answered: dict[tuple[int, int], np.ndarray] = {}
    # Who copies comes after whom they copy.
    for p in sorted(range(len(kind)), key=lambda p: (partner[p] >= 0 and partner[p] < p, p)):
        clock = rng.uniform(0, 72_000) + (90_000 if 0 <= partner[p] < p else 0)
        for h in hits_of[p]:
            shown = rng.permutation(order[h])
            label = _labels(
                p, shown, kind, partner, style, place=place, model_place=model_place, answered=answered, rng=rng
            )
            answered.update({(p, int(t)): k for t, k in zip(shown, label, strict=True)})
            active = _times(
                kind[p], group[p], [len(texts[t].split()) for t in shown], style["pace"][p], style["tires"][p], rng
            )
            away = active.sum() * rng.uniform(1.5, 4) if group[p] == "very slow" else rng.exponential(40)
            at = len(columns["person"])
            for name, value in (
                ("person", p),
                ("hit", h),
                ("accepted", clock),
                ("seconds", active.sum() + 15 + away),
                ("device", device[p]),
            ):
                columns[name].append(value)
            begin = len(lines["text"])
            for name, values in (("assignment", [at] * TEXTS), ("text", shown), ("label", label), ("active", active)):
                lines[name].extend(values)
            reasons += [_reason(begin + i, kind[p], group[p], rng) for i in range(0, TEXTS, REASON_EVERY)]
            clock += active.sum() + 15 + away + rng.exponential(600)
    return Crowd(
        LABELS,
        texts,
        *(np.array(columns[name]) for name in ("person", "hit", "accepted", "seconds", "device")),
        *(np.array(lines[name]) for name in ("assignment", "text", "label", "active")),
        reasons,
        kind,
        group,
        partner,
        household,
    )


def _people(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kind, group, partner, household and number of HITs; pairs stand side by side, the copier second."""
    kinds: list[str] = []
    for name in BAD_KINDS:
        kinds += [name] * (2 * PAIRS if name in ("colluding pair", "two accounts") else PER_KIND)
    partner = [-1] * len(kinds)
    for name in ("colluding pair", "two accounts"):
        first = kinds.index(name)
        for i in range(first, first + 2 * PAIRS, 2):
            partner[i], partner[i + 1] = i + 1, i
    shares = [int(rng.integers(2, 6)) for _ in kinds]
    for i, other in enumerate(partner):
        if 0 <= other < i:
            shares[i] = shares[other]
    left = HITS * PER_HIT - sum(shares)
    honest: list[int] = []
    while left:
        n = min(int(rng.integers(2, 6)), left)
        n = left if left - n in (0, 1) and left <= 5 else min(n, left - 2 if left - n < 2 else n)
        honest.append(n)
        left -= n
    groups = [""] * len(kinds) + (list(GROUPS) * PER_GROUP + [""] * len(honest))[: len(honest)]
    household = np.full(len(kinds) + len(honest), -1)
    for home in range(HOUSEHOLDS):
        household[-1 - 2 * home], household[-2 - 2 * home] = home, home
    return (
        np.array(kinds + [HONEST] * len(honest)),
        np.array(groups),
        np.array(partner + [-1] * len(honest)),
        household,
        np.array(shares + honest),
    )


def _allot(shares: np.ndarray, partner: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """HITs of each person, nobody one HIT twice, 20 people a HIT; both of a pair do the same ones."""
    room, hits = np.full(HITS, PER_HIT), [np.zeros(0, dtype=int)] * len(shares)
    # Pairs first, then who does most; each takes the HITs with most places free.
    for p in np.argsort(np.where(partner >= 0, -10, 0) - shares, kind="stable"):
        if 0 <= partner[p] < p:
            continue
        hits[p] = np.argsort(-(room + rng.uniform(0, 0.9, HITS)))[: shares[p]]
        room[hits[p]] -= 1
        if partner[p] > p:
            hits[partner[p]] = hits[p]
            room[hits[p]] -= 1
    return hits


def _styles(group: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    people = len(group)
    noise = np.exp(rng.normal(np.log(1.1), 0.2, people)) * np.where(group == "second language", 1.2, 1)
    return {
        "bias": rng.normal(0, 0.4, people),
        "noise": noise,
        "pace": np.exp(rng.normal(0, 0.3, people)),
        "favorite": rng.integers(0, LABELS, people),
        "tires": rng.integers(9, 17, people),
        "leads_by_clicks": rng.random(people) < 0.5,
    }


def _devices(kind: np.ndarray, partner: np.ndarray, household: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    device = np.arange(len(kind))
    for p, other in enumerate(partner):
        if 0 <= other < p and kind[p] == "two accounts" and rng.random() < SAME_DEVICE:
            device[p] = device[other]
    for home in range(HOUSEHOLDS):
        device[household == home] = device[household == home].min()
    return device


def _labels(p, shown, kind, partner, style, *, place, model_place, answered, rng):  # type: ignore[no-untyped-def]
    n = len(shown)
    read = place[shown] + style["bias"][p] + style["noise"][p] * rng.standard_normal(n)
    read = np.clip(np.floor(read + 0.5), 0, LABELS - 1).astype(int)
    clicks = rng.integers(0, LABELS, n)
    match kind[p]:
        case "fast clicker" | "slow clicker":
            return clicks
        case "straight-liner":
            return np.where(rng.random(n) < 0.95, style["favorite"][p], clicks)
        case "reversed scale":
            return LABELS - 1 - read
        case "colluding pair" | "two accounts" if partner[p] < p:
            same = rng.random(n) < (COPIES if kind[p] == "colluding pair" else REMEMBERS)
            before = np.array([answered[partner[p], int(t)] for t in shown])
            # An own answer of the second account has the bias of the one person.
            again = place[shown] + style["bias"][partner[p]] + style["noise"][partner[p]] * rng.standard_normal(n)
            own = read if kind[p] == "colluding pair" else np.clip(np.floor(again + 0.5), 0, LABELS - 1).astype(int)
            return np.where(same, before, own)
        case "colluding pair" if style["leads_by_clicks"][p]:
            return clicks
        case "tiring":
            return np.where(np.arange(n) < style["tires"][p] + rng.integers(-2, 3), read, clicks)
        case "model-like":
            guess = model_place[shown] + rng.normal(0, 0.25, n)
            return np.clip(np.floor(guess + 0.5), 0, LABELS - 1).astype(int)
        case _:
            return read


def _times(kind, group, words, pace, tires, rng):  # type: ignore[no-untyped-def]
    n, words = len(words), np.array(words)
    usual = pace * (1.8 + words / 238 * 60) * np.exp(rng.normal(0, 0.35, n))
    match kind:
        case "fast clicker" | "straight-liner":
            return rng.uniform(0.4, 1.4, n)
        case "colluding pair":
            return np.where(rng.random(n) < 0.5, usual, rng.uniform(2, 5, n))
        case "tiring":
            return np.where(np.arange(n) < tires, usual, usual * rng.uniform(0.3, 1))
        case "model-like":
            return rng.uniform(6, 12, n)
    match group:
        case "second language":
            return pace * (3 + words / 150 * 60) * np.exp(rng.normal(0, 0.4, n))
        case "screen reader" if rng.random() < 0.5:
            heard = words / 320 * 60
            return np.concatenate([[heard.sum() + 10], rng.uniform(1.0, 2.4, n - 1)])
        case "screen reader":
            return 4 + words / 320 * 60 + rng.exponential(3, n)
        case "very slow":
            return usual * rng.uniform(3, 6)
        case "very fast":
            return 0.6 + words / rng.uniform(350, 420) * 60 * np.exp(rng.normal(0, 0.25, n))
    return usual


def _reason(line: int, kind: str, group: str, rng: np.random.Generator) -> tuple[int, str, int, int]:
    """An explanation, its key presses and pastes."""
    if group == "terse" or kind in ("fast clicker", "straight-liner"):
        body = str(rng.choice(TERSE))
    elif group == "second language":
        body = " ".join(rng.choice(GERMAN, rng.integers(4, 9)))
    else:
        body = " ".join(rng.choice(LONG, rng.integers(4, 9)))
    if group == "dictating":
        return line, body, int(rng.integers(0, 3)), 0
    if kind == "model-like":
        return line, body, int(rng.integers(0, 3)), 1
    return line, body, round(len(body) * rng.uniform(1, 1.3)), 0
