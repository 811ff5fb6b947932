"""Every filter as it is specified: its rule on both sides of the threshold, its default, whom it wrongs, its sentence.

The numbers are the specification's (quality filters F1 to F27), none is read from the code. One default differs on
purpose: filters that look only at how somebody writes (F14, F16, F19, F20) raise flags and are in no default rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from annotation.quality.filters import BY_KIND, CODED, DEFAULTS, FILTERS, WRONGED
from annotation.quality.measure import measure_work
from annotation.quality.methods_text import Done, paragraph
from annotation.quality.rules import FEWEST_RATINGS, GroupShare, Rule, Tabulated, Thinned
from annotation.quality.work_table import Work
from tests.annotation.quality.factories import Shown, rated, work

TEXT = "the old mayor opened a new bridge over the quiet river on monday morning in may"
TYPED = "it does not sound like a person"  # 31 characters


def reasons(*bodies: str, **fields: Any) -> Work:
    shown = [Shown(at, 1, reason=body, **fields) for at, body in enumerate(bodies)]
    return work([shown], bodies=[TEXT] * len(bodies))


def several(*bodies: str) -> Work:
    return work([[Shown(0, 1, reason=body)] for body in bodies], bodies=[TEXT])


def timed(*seconds: float, words: int = 10) -> Work:
    return work([[Shown(at, 1, words=words, ms=1000 * one) for at, one in enumerate(seconds)]])


def gold(wrong: int, of: int) -> Work:
    return work([[Shown(at, int(at < wrong), "gold", known=0) for at in range(of)]])


def repeats(*apart: int) -> Work:
    first = [Shown(at, 0) for at in range(len(apart))]
    return work([[*first, *(Shown(at, steps, "repeat") for at, steps in enumerate(apart))]])


def away(share: float) -> Work:
    return work([[Shown(0, 1, ms=1000 * 100 * (1 - share))]], work_seconds=[100])


def one_label(run: int, of: int) -> Work:
    return rated([3] * run + [1, 2] * ((of - run) // 2) + [1] * ((of - run) % 2))


def machine(called: int, of: int) -> Work:
    told = reasons(*[TYPED] * of)
    return replace(told, reasons=replace(told.reasons, machine=np.array([1.0] * called + [0.0] * (of - called))))


def means(*each: int) -> Work:
    """Raters of ten texts who give one label all through."""
    return rated(*[[one] * 10 for one in each])


def correlated(r_above: bool) -> Work:
    """The last rater's answers correlate .102 or .089 with the others' mean over ten texts."""
    mine = [2, 2, 3, 2, 2, 2, 2, 2, 3, 2] if r_above else [3, 2, 2, 3, 3, 3, 3, 3, 3, 2]
    return rated(*[[4, 1, 3, 2, 4, 3, 2, 2, 3, 4]] * 2, mine)


@dataclass(frozen=True)
class Row:
    """A filter of the specification. default: `rule` (of the default selection), `flag` (raised, no rule) or `off`."""

    id: str
    kind: str
    default: str
    flagged: Work
    spared: Work
    wrongs: str
    sentence: str

    def __str__(self) -> str:
        return self.id


# 24 labels of six: entropy / log 6. Four of each is 1; (4, 4, 4, 4, 4, 3, ...) needs more; half and half is .387.
USUAL, ALIKE, EVEN = [0] * 12 + [1] * 12, [0] * 23 + [1], [0, 1, 2, 3, 4, 5] * 4
FAST, SLOW = 7.4, 7.6  # of 119 words, whose reading takes 30 s at 238 a minute
ROWS = [
    Row("F4", "several_conditions", "rule", rated([1], [1], workers=[0, 0], cell=[0, 1]),
        rated([1], [1], workers=[0, 0], cell=[0, 0]), "households", "Each person took part in one condition only"),
    Row("F5", "attention", "off", rated([1], checks=[2], checks_passed=[0]), rated([1], checks=[2], checks_passed=[1]),
        "fast", "3 of 160 assignments failed more than 50% of their instructed items and were excluded."),
    Row("F6", "gold", "off", gold(3, 5), gold(2, 5), "known answer",
        "12 control items with known answers were mixed in; raters below 60% were excluded (2)."),
    Row("F7", "repeats", "off", repeats(2, 1), repeats(1, 1), "thought again",
        "Repeated items differed by more than 1 on average for 2 raters."),
    Row("F8", "too_fast", "rule", timed(FAST, FAST, SLOW, words=119), timed(FAST, FAST, SLOW, SLOW, words=119),
        "skilled readers",
        "2 raters answered more than 50% of the items faster than in a quarter of the reading time"),
    Row("F9", "straight_lining", "flag", one_label(8, 10), one_label(7, 10), "all alike",
        "3 assignments gave one answer throughout, or for at least 80% of their items in a row."),
    Row("F10", "disagreement", "off", correlated(False), correlated(True), "consensus",
        "2 raters correlated below 0.1 with the rest."),
    Row("F11", "outlying_mean", "off", means(*[0] * 11, 5), means(*[0] * 9, 5), "severe raters",
        "2 raters whose mean rating lay more than 3 sd from the raters' mean were excluded."),
    Row("F13", "entropy", "off", rated(ALIKE), rated(USUAL), "whole scale evenly",
        "2 raters whose answers were nearly constant or nearly uniform (entropy outside 10 to 98% of its maximum)"),
    Row("F14", "short_reasons", "flag", reasons("three words altogether"), reasons("the four words here"),
        "second language", "under 4 words or 15 characters"),
    Row("F15", "copied_reasons", "rule", reasons(" ".join(TEXT.split()[:9]) + " so there"),
        reasons(" ".join(TEXT.split()[:8]) + " so there"), "quote",
        "copied more than 50% of their explanations"),
    Row("F16", "repeated_reasons", "flag", reasons("Looks fine!", "looks FINE"),
        reasons("Looks fine!", "looks fine too"), "twice",
        "3 assignments repeated at least 2 explanations word for word."),
    Row("F19", "other_language", "flag", reasons("das klingt nicht nach einem Menschen"), reasons(TYPED), "dialect",
        "not recognised as the study's language"),
    Row("F20", "pasted", "flag", reasons(TYPED, keys=15.0, pastes=1.0), reasons(TYPED, keys=16.0, pastes=1.0),
        "assistive tools", "Paste events were recorded; 3 assignments with mostly pasted answers were excluded."),
    Row("F21", "machine_written", "flag", machine(2, 3), machine(1, 2), "second language", ""),
    Row("F22", "time_away", "off", away(0.51), away(0.49), "look a word up",
        "3 assignments spent more than 50% of their time outside the task page"),
    Row("F23", "shared_device", "flag", rated([1], [1], device=[7, 7]), rated([1], [1], device=[7, 8]), "families",
        "3 assignments shared a device"),
    Row("F24", "incomplete", "rule", rated([1], unanswered=[1]), rated([1], unanswered=[0]), "",
        "3 assignments were incomplete."),
    Row("F25", "practice", "off", rated([1], practice=[3], practice_right=[0]),
        rated([1], practice=[3], practice_right=[1]), "task is hard", "3 assignments failed every practice round."),
]  # fmt: skip


def done(**changes: Any) -> Done:
    plain = Done(
        recruitment=(None, None, ""), submissions=160, left_out=0, by_hand=0, rules=(), hits={}, version=None,
        blind=None, by_source=None, by_condition=None, refused=0,
    )  # fmt: skip
    return replace(plain, **changes)


def raised(kind: str, given: Work) -> bool:
    return bool(BY_KIND[kind].raised(BY_KIND[kind].measure(given))[-1])


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_filter_flags_on_one_side_of_its_threshold_and_spares_on_the_other(row: Row) -> None:
    assert BY_KIND[row.kind].id == row.id
    assert (raised(row.kind, row.flagged), raised(row.kind, row.spared)) == (True, False)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_its_default_and_whom_it_can_wrong_are_the_specifications(row: Row) -> None:
    one = BY_KIND[row.kind]
    assert {"rule": (True, True), "flag": (False, True), "off": (False, False)}[row.default] == (one.default, one.flags)
    assert (row.kind in DEFAULTS) == (row.default == "rule")
    assert row.wrongs in one.wrongly


@pytest.mark.parametrize("row", [row for row in ROWS if row.sentence], ids=str)
def test_the_methods_paragraph_tells_it_in_the_specifications_words(row: Row) -> None:
    told = paragraph(done(left_out=3, rules=[Rule(row.kind)], hits={row.kind: (3, 2)}, gold=12))
    assert row.sentence in told


def test_few_observations_are_no_evidence() -> None:
    few = [
        ("gold", gold(4, 4)), ("repeats", repeats(5)), ("straight_lining", one_label(9, 9)),
        ("disagreement", rated([5, 4, 3, 2, 1, 0, 5, 4, 3], *[[0, 1, 2, 3, 4, 5, 0, 1, 2]] * 2)),
        ("entropy", rated([0] * 19)), ("practice", rated([1], practice=[2], practice_right=[0])),
    ]  # fmt: skip
    assert [kind for kind, given in few if raised(kind, given)] == []


def test_short_texts_are_given_a_second_and_a_half() -> None:
    assert raised("too_fast", timed(1.4, 1.4, 9, words=2))
    assert not raised("too_fast", timed(1.6, 1.6, 9, words=2))
    # By a screen reader all texts may be heard first: the time that is left over counts for the answers.
    assert not raised("too_fast", timed(90, 1, 1, 1, words=119))


def test_a_short_explanation_has_under_four_words_or_under_fifteen_characters() -> None:
    assert raised("short_reasons", reasons("a b c d e f g"))  # 13 characters
    assert not raised("short_reasons", reasons("a b c d e f g h"))  # 15
    assert raised("short_reasons", reasons("incontrovertibly so then"))  # 3 words


def test_the_same_explanation_of_two_people_is_a_repetition_from_the_second_on() -> None:
    assert not raised("repeated_reasons", several("looks fine", "Looks fine."))
    both = work([[Shown(0, 1, reason="looks fine"), Shown(1, 1, reason="odd, that")]] * 2, bodies=[TEXT] * 2)
    assert raised("repeated_reasons", both)


def test_entropy_beyond_98_per_cent_of_its_largest_is_outside() -> None:
    # h((4, 4, 4, 4, 4, 4) / 24) = 1; (6, 6, 5, 4, 2, 1) of 24: .909 of log 6.
    assert raised("entropy", rated(EVEN))
    assert not raised("entropy", rated([0] * 6 + [1] * 6 + [2] * 5 + [3] * 4 + [4] * 2 + [5]))


def test_competence_below_a_half_is_f12_and_off() -> None:
    one = BY_KIND["competence"]
    assert (one.id, one.threshold, one.beyond, one.default, one.flags) == ("F12", 0.5, "below", False, False)
    told = paragraph(done(left_out=3, rules=[Rule("competence")], hits={"competence": (3, 2)}))
    assert "Competence estimated by MACE; 2 raters below 50%." in told


def test_filters_that_use_the_answers_to_the_question_are_no_default_rule() -> None:
    assert {one.id for one in FILTERS if one.circular} == {"F9", "F9a", "F10", "F11", "F12", "F13", "A1"}
    assert not any(BY_KIND[kind].circular for kind in DEFAULTS)


def test_no_filter_deletes_or_changes_anything() -> None:
    for row in ROWS:
        before = row.flagged.lines.label.tolist()
        measure_work(row.flagged)
        assert row.flagged.lines.label.tolist() == before


@pytest.mark.parametrize(
    ("recruitment", "told"),
    [
        (
            (95, 50, "US"),
            "Workers needed an approval rate above 95% over more than 50 tasks and were located in the US.",
        ),
        ((95, None, ""), "Workers needed an approval rate above 95%."),
        ((None, 1000, "US"), "Workers needed more than 1000 approved tasks and were located in the US."),
        ((None, None, "US"), "Workers were located in the US."),
    ],
)
def test_f1_recruitment_is_told_in_one_sentence(recruitment: tuple[Any, Any, str], told: str) -> None:
    assert paragraph(done(recruitment=recruitment)).startswith(told)


def test_without_any_rule_the_standing_text_stands_alone() -> None:
    nothing = "No rater, assignment or item was excluded. All submitted work was paid."
    assert paragraph(done(paid=True)) == nothing


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("mismatch", "Two reviewers judged mismatch (κ = 0.71); 3 assignments were excluded."),
        ("instructions", "3 submissions did not follow the instructions (two reviewers, κ = 0.71)."),
        ("uninterpretable", "The explanations of 3 submissions could not be interpreted (two reviewers, κ = 0.71)."),
    ],
)
def test_f17_to_f19_are_told_with_the_agreement_of_two_reviewers(kind: str, told: str) -> None:
    given = done(left_out=3, rules=[Rule(kind)], hits={kind: (3, 2)}, kappas={kind: 0.7123})
    assert told in paragraph(given)
    assert "κ = not defined" in paragraph(replace(given, kappas={}))
    assert kind in CODED
    assert WRONGED[kind]


def test_flags_that_excluded_nobody_are_told_as_such() -> None:
    told = paragraph(done(flagged={"shared_device": 4, "machine_written": 2}, detector="Sniffer, 2.1", practised=True))
    assert "A detector (Sniffer, 2.1) flagged 2 assignments; flags were not used alone." in told
    assert "4 assignments shared a device; these were flagged, not excluded." in told
    assert "Training answers were not used to exclude." in told


def test_flags_for_how_somebody_writes_are_told_apart_from_rules_that_excluded() -> None:
    told = "Checks of writing style raised flags only and excluded no submission "
    flagged = {"short_reasons": 4, "pasted": 2}
    assert f"{told}(short explanations: 4 assignments; pasted explanations: 2 assignments)." in paragraph(
        done(flagged=flagged)
    )
    ruled = done(left_out=4, rules=[Rule("short_reasons")], hits={"short_reasons": (4, 4)}, flagged=flagged)
    assert f"{told}(pasted explanations: 2 assignments)." in paragraph(ruled)


def test_f26_and_f27_count_items_and_contexts() -> None:
    assert FEWEST_RATINGS == 5
    told = paragraph(done(left_out=3, left=Thinned(texts=24, thin=2, contexts=10, broken=1)))
    assert "2 of 24 items have fewer than 5 ratings. 1 of 10 contexts has no text with 5 ratings on one side." in told


def test_the_summary_tells_shares_rates_by_group_their_test_and_who_was_paid() -> None:
    table = Tabulated((GroupShare("reference", 80, 8), GroupShare("model", 80, 4)), 0.25, 2000)
    told = paragraph(done(left_out=8, rules=[Rule("too_fast")], by_condition=table, refused=1))
    assert "Of 160 submissions, 8 (5.0%) were excluded." in told
    assert "Exclusion rates by condition were reference 10.0% of 80 texts shown, model 5.0% of 80 texts shown; " in told
    assert "p\u00a0=\u00a0.250" in told
    alone = replace(table, rows=table.rows[:1], p=None)
    assert "Exclusion rates" not in paragraph(done(left_out=8, rules=[Rule("too_fast")], by_condition=alone))
    assert "1 of 160 submissions was rejected (not paid)" in told
