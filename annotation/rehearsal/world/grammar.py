"""The reference distribution: a finite grammar of headlines whose probabilities are known exactly.

Rules are read from text, expanded into an automaton and made deterministic with exact fractions, so that p_ref(y) is
the total over all parses of y, ambiguous or not. Scoring and sampling are then table look-ups on whole batches.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .vocabulary import END, MAX_WORDS, Ids, Vocabulary

RULES_FILE = Path(__file__).with_name("headlines.txt")

Stack = tuple[str, ...]
Belief = frozenset[tuple[Stack, Fraction]]
Rules = dict[str, list[tuple[int, Stack]]]


class GrammarError(ValueError):
    """The rules cannot be read; the sentence names the line or the symbol."""


def read_rules(text: str) -> Rules:
    """Rules from text: `symbol: weight expansion | weight expansion`, indented lines continue the one before."""
    rules: Rules = {}
    symbol = ""
    for number, line in enumerate(text.splitlines(), start=1):
        body = line.split("#")[0]
        if not body.strip():
            continue
        if not body[0].isspace():
            symbol, colon, body = body.partition(":")
            if not colon or symbol in rules:
                raise GrammarError(f"line {number}: a rule needs a new symbol and a colon")
            rules[symbol] = []
        rules[symbol].extend(_alternative(part, number) for part in body.split("|") if part.strip())
    return rules


def _alternative(text: str, line: int) -> tuple[int, Stack]:
    weight, *symbols = text.split()
    if not weight.isdigit() or int(weight) < 1 or not symbols:
        raise GrammarError(f"line {line}: '{text.strip()}' is not a whole weight above 0 and its words")
    return int(weight), tuple(symbols)


@dataclass(frozen=True)
class Grammar:
    """A deterministic weighted automaton over the words; state 0 is the start.

    follow: (states, words + 1) next state for each id, -1 where the grammar stops; END leads nowhere.
    chance: (states, words + 1) probability of each id after the prefix that led to the state; rows sum to 1.
    """

    vocabulary: Vocabulary
    follow: NDArray[np.int32]
    chance: NDArray[np.float64]

    @classmethod
    def parse(cls, text: str) -> Grammar:
        """Compile rules given as text; the first symbol is the start. Errors: GrammarError."""
        rules = read_rules(text)
        states, edges = _determinise(rules)
        words = {word for (_, word) in edges if word}
        vocabulary = Vocabulary(tuple(sorted(words, key=str.casefold)))
        follow = np.full((states, len(vocabulary) + 1), -1, dtype=np.int32)
        chance = np.zeros((states, len(vocabulary) + 1))
        for (state, word), (target, probability) in edges.items():
            number = vocabulary.index[word.casefold()] if word else END
            follow[state, number] = target
            chance[state, number] = float(probability)
        return cls(vocabulary, follow, chance)

    @classmethod
    def shipped(cls) -> Grammar:
        """The grammar of the rehearsal world."""
        return cls.parse(RULES_FILE.read_text(encoding="utf-8"))

    @cached_property
    def _log_chance(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.chance))

    def log_prob(self, ids: Ids) -> NDArray[np.float64]:
        """Natural log p_ref of each row of `ids` (n, MAX_WORDS + 1); -inf outside the support. Shape (n,)."""
        log_chance = self._log_chance
        total = np.zeros(len(ids))
        state = np.zeros(len(ids), dtype=np.int64)
        for column in ids.T:
            dead = (state < 0) & (column != END) | (column < 0)
            step = np.where(state < 0, 0.0, log_chance[state, column])
            total += np.where(dead, -np.inf, step)
            state = np.where(dead | (state < 0), -1, self.follow[state, column])
        return total

    def sample(self, n: int, rng: np.random.Generator) -> Ids:
        """`n` independent headlines, with replacement, as ids (n, MAX_WORDS + 1)."""
        # One sorted table for all states: state s owns the stretch (s, s + 1].
        width = self.chance.shape[1]
        edges = (self.chance.cumsum(axis=1) + np.arange(len(self.chance))[:, None]).ravel()
        last = width - 1 - np.argmax(self.chance[:, ::-1] > 0, axis=1)
        ids = np.zeros((n, MAX_WORDS + 1), dtype=np.int16)
        state = np.zeros(n, dtype=np.int64)
        for position in range(MAX_WORDS + 1):
            rows = np.flatnonzero(state >= 0)
            place = np.searchsorted(edges, state[rows] + rng.random(len(rows)), side="right")
            choice = np.minimum(place - state[rows] * width, last[state[rows]])
            ids[rows, position] = choice
            state[rows] = self.follow[state[rows], choice]
        return ids

    def total_probability(self) -> float:
        """Sum of p_ref over the whole support: 1 up to rounding."""
        return float(self._backwards(self.chance)[0])

    def support_size(self) -> int:
        """How many different headlines there are."""
        return int(self._backwards((self.chance > 0).astype(float))[0])

    def _backwards(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum over all completions of each state of the product of `weight`; states are numbered in reach order."""
        value = np.zeros(len(self.follow) + 1)
        for _ in range(MAX_WORDS + 1):
            ahead = np.where(self.follow >= 0, value[self.follow], 0.0)
            ahead[:, END] = 1.0
            value[:-1] = (weight * ahead).sum(axis=1)
        return value[:-1]


def _determinise(rules: Rules) -> tuple[int, dict[tuple[int, str], tuple[int, Fraction]]]:
    """Number of states and the edges {(state, word): (next state, probability)}; the word '' closes a headline."""
    start = _closure(rules, {(f"<{next(iter(rules))}>",): Fraction(1)}, 0)
    numbers: dict[Belief, int] = {start: 0}
    waiting = [start]
    edges: dict[tuple[int, str], tuple[int, Fraction]] = {}
    while waiting:
        belief = waiting.pop()
        for word, (rest, probability) in _steps(rules, belief).items():
            if rest is not None and rest not in numbers:
                numbers[rest] = len(numbers)
                waiting.append(rest)
            edges[numbers[belief], word] = (-1 if rest is None else numbers[rest], probability)
    return len(numbers), edges


def _steps(rules: Rules, belief: Belief) -> dict[str, tuple[Belief | None, Fraction]]:
    """What can come next from a belief over stacks: word -> (belief after it, its probability)."""
    after: dict[str, dict[Stack, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for stack, weight in belief:
        after[stack[0] if stack else ""][stack[1:]] += weight
    steps: dict[str, tuple[Belief | None, Fraction]] = {}
    for word, stacks in after.items():
        mass = sum(stacks.values(), Fraction(0))
        rest = _closure(rules, {stack: weight / mass for stack, weight in stacks.items()}, 0) if word else None
        steps[word] = (rest, mass)
    return steps


def _closure(rules: Rules, stacks: dict[Stack, Fraction], depth: int) -> Belief:
    """Expand leading symbols until every stack is empty or starts with a word; weights sum to 1."""
    if depth > len(rules):
        raise GrammarError("a symbol leads back to itself: the set of headlines would not be finite")
    done: dict[Stack, Fraction] = defaultdict(Fraction)
    pending: dict[Stack, Fraction] = defaultdict(Fraction)
    for stack, weight in stacks.items():
        if not stack or not stack[0].startswith("<"):
            done[stack] += weight
            continue
        alternatives = rules.get(stack[0][1:-1])
        if not alternatives:
            raise GrammarError(f"the symbol {stack[0]} has no rule")
        total = sum(part for part, _ in alternatives)
        for part, symbols in alternatives:
            pending[symbols + stack[1:]] += weight * Fraction(part, total)
    if pending:
        for stack, weight in _closure(rules, pending, depth + 1):
            done[stack] += weight
    return frozenset(done.items())
