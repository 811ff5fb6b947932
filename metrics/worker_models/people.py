"""What the answers of a study show of each person: how they work, whom they answer like, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.worker_models.duplicates import AlikePairs, find_alike_pairs
from metrics.worker_models.ways_of_working import CAREFUL, MODEL_LIKE, WAYS, LabeledTexts, WaysOfWorking, infer_ways

DUPLICATE = len(WAYS)
KINDS = (*WAYS, "duplicate")
HINT = 0.5  # the weight of labels like a language model's in the order


@dataclass(frozen=True, slots=True)
class PeopleEvidence:
    """Evidence about each person of a study.

    chance: (people, kinds) of each of KINDS, rows sum to 1. log_odds: (people, kinds) natural log of how much better a
    kind fits than careful reading (a duplicate: than answering apart from the likeliest other). partner: (people,) whom
    they answer like most surely, -1 nobody. pairs: all pairs that passed the screen. ways: the model behind it.
    """

    chance: Floats
    log_odds: Floats
    partner: Ints
    pairs: AlikePairs
    ways: WaysOfWorking

    @property
    def bad(self) -> Floats:
        """(people,) chance of bad work: clicks, a line, a reversed scale, tiring, or a duplicate of somebody else."""
        return 1 - self.chance[:, CAREFUL] - self.chance[:, MODEL_LIKE]

    @property
    def order(self) -> Floats:
        """(people,) in [0, 1], for sorting: the chance of bad work, and half of that of labels like a model's."""
        return np.asarray(self.bad + HINT * self.chance[:, MODEL_LIKE])

    @property
    def likeliest(self) -> Ints:
        """(people,) the kind with the greatest chance."""
        return np.asarray(self.chance.argmax(axis=1))


def judge_people(work: LabeledTexts, devices: Collection[tuple[int, int]] = ()) -> PeopleEvidence:
    """Weigh the ways of working and the duplicates among a study's people.

    Args:
        work: answers on one scale.
        devices: pairs of people (the smaller number first) who were seen on one device. Alone it says nothing: families
            share devices.
    """
    ways = infer_ways(work)
    pairs = find_alike_pairs(work, ways, devices)
    copying, log_odds, partner = np.zeros(work.people), np.zeros(work.people), np.full(work.people, -1)
    # The surest pair comes last and stays. Only what passes the test counts as a duplicate.
    for at in np.flatnonzero(pairs.alike)[::-1]:
        for person, other in ((pairs.first[at], pairs.second[at]), (pairs.second[at], pairs.first[at])):
            copying[person], log_odds[person], partner[person] = pairs.chance[at], pairs.log_odds[at], other
    chance = np.column_stack([ways.chance * (1 - copying)[:, None], copying])
    return PeopleEvidence(chance, np.column_stack([ways.log_odds, log_odds]), partner, pairs, ways)
