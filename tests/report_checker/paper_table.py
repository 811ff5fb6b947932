"""The one table of the paper page, counted anew: rows by what tells them apart, values with intervals, and n."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean

from tests.report_checker.intervals import mean_share
from tests.report_checker.recount import Rows
from tests.report_checker.tables import (
    Beside,
    Cell,
    Cells,
    Ranged,
    choices,
    chosen_cells,
    label_cells,
    mean_cells,
    preference_answers,
    preference_cells,
)

MEANS = ("likert", "direct_assessment", "document_rating", "error_labels")


def paper_cells(rows: Rows, level: float) -> dict[str, Cells]:
    """By the beginning of its caption, the cells of the table; of HUSE they are those of the full table."""
    task = rows.study["task"]
    if task == "human_or_machine":
        return {"Accuracy of evaluators who said": accuracy_cells(rows, level)}
    if task in MEANS and (means := mean_cells(rows, level)):
        return {"Mean rating": named(_with_differences(rows, means))}
    if task == "error_labels":
        labels: Cells = {key: (share, n) for key, (share, _, _, n) in label_cells(rows, level).items()}
        return {"Share of the judgments with each label": named(labels)}
    if rows.pairs or task == "which_machine":
        cells: Cells = {}
        for name in Counter(answer.criterion for answer in rows.used):
            if rows.pairs:
                shares = preference_cells(rows, name, level)
                votes = preference_answers(rows, name)
                cells |= {(name, *key): (*shares[key], str(len(held))) for key, held in votes.items()}
            else:
                answers = choices(rows, name)
                of_one = chosen_cells(rows, name, level)
                cells |= {(name, *key): (*row, str(len(answers[key[0]]))) for key, row in of_one.items()}
        if rows.pairs:
            return {"Share of judgments that prefer the first": named(cells, always=2)}
        return {"How often a text of each source was chosen, and would": named(cells)}
    return {}


def named(cells: Cells, always: int = 0) -> Cells:
    """The rows by the parts of their names that differ, in words. always: how many of the last are in every name."""
    width = len(next(iter(cells), ()))
    shown = [at for at in range(width) if at >= width - always or len({key[at] for key in cells}) > 1] or [0]
    return {
        (", ".join(dict.fromkeys(key[at].replace("_", " ") if at == 0 else key[at] for at in shown)),): values
        for key, values in cells.items()
    }


def _with_differences(rows: Rows, means: Cells) -> Cells:
    """Each mean with its difference from that of the references, where they are rated, and how many texts it is of."""
    texts = {(each.criterion, rows.sides[each.text] or "references", each.text) for each in rows.used}
    counts = Counter(key[:2] for key in texts)
    answers = Counter((each.criterion, rows.sides[each.text] or "references") for each in rows.used)
    with_differences = any(side != "references" and (name, "references") in means for name, side in means)
    cells: Cells = {}
    for key, (mean,) in means.items():
        reference, difference = (key[0], "references"), None
        if reference in means and key != reference:
            apart = _value(mean) - _value(means[reference][0])
            difference = Beside(apart, answers[key[0], key[1]] + answers[key[0], "references"])
        cells[key] = (mean, *((difference,) if with_differences else ()), str(counts[key[0], key[1]]))
    return cells


def _value(cell: Cell) -> float:
    assert isinstance(cell, Ranged)
    return cell.value


def accuracy_cells(rows: Rows, level: float) -> Cells:
    """Of each arm and of all, the mean share of right answers, and that of answers that say human."""
    arms = [arm["training"] for arm in rows.arms if rows.right_answers(arm["training"])]
    cells: Cells = {}
    for name in ["all"] if len(arms) < 2 else [*arms, "all"]:
        arm = "" if name == "all" else name
        if right := rows.right_answers(arm):
            limits = mean_share(right, level)
            accuracy = 100 * fmean(hits / total for hits, total in right)
            cells[name,] = (
                Ranged(accuracy, limits and (100 * limits[0], 100 * limits[1])),
                _says_human(rows, arm),
                str(len(right)),
            )
    return cells


def _says_human(rows: Rows, arm: str) -> Beside:
    held: defaultdict[str, list[bool]] = defaultdict(list)
    for answer in rows.used:
        if answer.criterion == "human_or_machine" and arm in ("", answer.arm):
            held[answer.rater].append(answer.code <= 2)
    answers = [value for values in held.values() for value in values]
    return Beside(100 * fmean(answers), len(answers))
