"""The crowds by which the model of people is measured share nothing with what they measure."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.people_at_work import crowds, other_crowds
from tests.benchmarks.people_at_work.records import BAD_KINDS, GROUPS

FOLDER = Path(crowds.__file__).parent


@pytest.mark.parametrize("name", ["records", "crowds", "other_crowds"])
def test_crowds_are_written_without_the_code_that_they_measure(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"__future__", "dataclasses", "numpy", "tests.benchmarks.people_at_work.records"}


@pytest.mark.parametrize("draw", [crowds.draw, other_crowds.draw])
def test_people_of_a_crowd_do_two_to_five_tasks_of_25_texts_each_once(draw) -> None:
    drawn = [draw(seed) for seed in range(6)]
    for crowd in drawn:
        tasks = np.bincount(crowd.person, minlength=len(crowd.kind))
        assert tasks.min() >= 1
        assert tasks.max() <= 5
        assert np.mean(tasks < 2) < 0.06
        assert set(np.bincount(crowd.assignment)) == {25}
        assert len(set(zip(crowd.person.tolist(), crowd.hit.tolist(), strict=True))) == len(crowd.person)
        assert crowd.label.min() >= 0
        assert crowd.label.max() < crowd.labels
    assert {*BAD_KINDS, "honest"} == set().union(*(set(crowd.kind.tolist()) for crowd in drawn))
    assert {*GROUPS, ""} == set().union(*(set(crowd.group.tolist()) for crowd in drawn))


def test_a_copied_answer_is_mostly_the_others_and_a_family_shares_the_device_alone() -> None:
    crowd = crowds.draw(1)
    by_person = {
        p: dict(zip(crowd.text[rows].tolist(), crowd.label[rows].tolist(), strict=True))
        for p in range(len(crowd.kind))
        if (rows := crowd.person[crowd.assignment] == p).any()
    }

    def same(p: int, q: int) -> float:
        both = by_person[p].keys() & by_person[q].keys()
        return float(np.mean([by_person[p][text] == by_person[q][text] for text in both])) if both else float("nan")

    pairs = [(p, int(q)) for p, q in enumerate(crowd.partner) if q > p]
    assert all(same(p, q) > 0.7 for p, q in pairs)
    families = [np.flatnonzero(crowd.household == home) for home in range(crowds.HOUSEHOLDS)]
    assert all(len({int(d) for d in crowd.device[np.isin(crowd.person, family)]}) == 1 for family in families)
    assert all(not same(int(p), int(q)) > 0.6 for p, q in families)
