"""Evidence of a stored study, rules fixed before results are seen, and what they leave out."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from annotation.exceptions import StateError
from annotation.models import (
    Cell,
    Codebook,
    Context,
    Decision,
    Evidence,
    Flag,
    Generator,
    HitItem,
    Judgment,
    Look,
    Parse,
    Presentation,
    Remark,
    Result,
    RuleSet,
    Study,
    Submission,
    Worker,
)
from annotation.quality import applied_rules as reviewing
from annotation.quality import evidence, rule_effects, thinned_texts
from annotation.quality.assess import assess
from annotation.quality.code_explanations import adjudicate, code, edit_codebook
from annotation.quality.codebooks import COMMENTS, CRITERIA, read_lines
from annotation.quality.coder_agreement import coding_progress
from annotation.quality.filters import FILTERS
from annotation.quality.load_work import study_work
from annotation.quality.methods_text import paragraph
from annotation.quality.rules import Rule, Thinned
from annotation.reports import report_rows as particulars
from annotation.reports.gather import score
from annotation.reports.study_facts import quality_done
from annotation.review import approve as review
from annotation.review import exclude, queue, reject
from annotation.studies.unblind import unblind
from annotation.workers import hold
from annotation.workers.participation import SECOND
from metrics.report.sections.exclusions import huse_under_rules
from tests.annotation.review.factories import NOW, judged, make, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    """Two HITs of ten texts for eight people, the first of whom gives one label throughout."""
    return judged()


def left_out() -> set[str]:
    return set(Decision.objects.filter(verdict="exclude").values_list("submission__worker__pseudonym", flat=True))


@pytest.mark.database
def test_the_columns_are_what_was_stored(study):
    read = study_work(study)
    assert (len(read.work), len(read.work.lines.text), len(set(read.work.worker.tolist()))) == (16, 160, 8)
    assert read.work.codes == [0, 1, 2, 3, 4, 5]
    assert (read.work.lines.label >= 0).all()
    assert read.work.unanswered.tolist() == [0] * 16


@pytest.mark.database
def test_the_straight_liner_is_flagged_and_most_suspicious(study):
    straight = Submission.objects.filter(worker__pseudonym="wjudged00000")
    assert set(Flag.objects.values_list("submission", flat=True)) == set(straight.values_list("pk", flat=True))
    assert set(Flag.objects.values_list("kind", flat=True)) == {"straight_lining", "one_answer"}
    first = Evidence.objects.order_by("-suspicion")[:2]
    assert {row.submission.worker.pseudonym for row in first} == {"wjudged00000"}


def test_measuring_again_changes_nothing_but_the_day(study):
    before = list(Evidence.objects.order_by("submission").values_list("submission", "findings"))
    assess(study, now=NOW + timedelta(days=1))
    assert list(Evidence.objects.order_by("submission").values_list("submission", "findings")) == before


def test_the_queue_goes_by_deadline_then_by_suspicion(study):
    # Work was handed in 0 to 15 hours ago and is approved after 72: all in the last band but one.
    found = list(queue.undecided(study, now=NOW))
    assert {row.worker.pseudonym for row in found[:2]} == {"wjudged00000"}
    urgent = list(queue.undecided(study, now=NOW + timedelta(hours=52)))
    bands = [row.band for row in urgent]
    assert bands == sorted(bands)
    assert set(bands) == {0, 1}


def test_rules_are_numbered_and_know_whether_results_were_seen(study):
    first = exclude.fix_rules(study, "plan", [Rule("straight_lining")], actor=None, now=NOW)
    Result.objects.create(study=study, made_at=NOW, data_sha256="0" * 64, numbers={})
    second = exclude.fix_rules(study, "after a look", [Rule("one_answer")], actor=None, now=NOW)
    assert [(one.number, one.blind) for one in (first, second)] == [(1, True), (2, False)]


def test_rules_leave_out_and_a_later_version_takes_the_place_of_an_earlier_one(study):
    lines = exclude.fix_rules(study, "lines", [Rule("straight_lining")], actor=None, now=NOW)
    assert exclude.apply_rules(lines, actor=None, now=NOW) == exclude.Excluded(2, 0)
    assert left_out() == {"wjudged00000"}
    nobody = exclude.fix_rules(study, "nobody", [], actor=None, now=NOW)
    assert exclude.apply_rules(nobody, actor=None, now=NOW) == exclude.Excluded(0, 2)
    assert left_out() == set()
    assert reviewing.rule_set(study) == RuleSet.objects.get(number=2)


def test_the_version_that_was_applied_last_holds_even_where_a_newer_one_was_tried_before(study):
    first = exclude.fix_rules(study, "lines", [Rule("straight_lining")], actor=None, now=NOW)
    second = exclude.fix_rules(study, "nothing", [], actor=None, now=NOW)
    for minute, stored in enumerate((first, second, first)):
        exclude.apply_rules(stored, actor=None, now=NOW + timedelta(minutes=minute))
    assert left_out() == {"wjudged00000"}
    assert reviewing.rule_set(study) == first
    assert "These rules (version 1) were fixed before results were seen." in paragraph(quality_done(study))


@pytest.mark.parametrize(
    "rule", [*(Rule(one.kind) for one in FILTERS), Rule("straight_lining", 0.2), Rule("disagreement", 0.9)], ids=str
)
def test_the_database_leaves_out_whom_a_rule_holds_for(study, rule):
    # Of somebody whom no filter could measure a null is stored, and nothing of somebody else.
    first, second = Evidence.objects.order_by("pk")[:2]
    Evidence.objects.filter(pk=first.pk).update(findings={one.kind: [None, None, None, 99] for one in FILTERS})
    Evidence.objects.filter(pk=second.pk).update(findings={})
    stored = Evidence.objects.values_list("submission", "findings")
    wanted = {pk for pk, findings in stored if rule.holds(findings, frozenset())}
    assert reviewing.left_out_by(study, (rule,)) == {rule.kind: wanted}


def test_a_persons_decision_stands_against_rules(study):
    one = Submission.objects.filter(worker__pseudonym="wjudged00000").order_by("pk")
    exclude.apply_rules(
        exclude.fix_rules(study, "a", [Rule("straight_lining")], actor=None, now=NOW), actor=None, now=NOW
    )
    exclude.include_submissions(study, one, actor=None, now=NOW)
    exclude.apply_rules(
        exclude.fix_rules(study, "b", [Rule("straight_lining")], actor=None, now=NOW), actor=None, now=NOW
    )
    assert left_out() == set()


@pytest.mark.parametrize(("length", "taken"), [(0, False), (1, True), (500, True), (501, False)])
def test_a_reason_for_leaving_out_fits_where_it_is_kept(study, length: int, taken: bool):
    """Characters are counted as people do: an emoji, two units of UTF-16 and four bytes, is one."""
    one, reason = Submission.objects.filter(hit__slot=0, worker__pseudonym="wjudged00001"), "😀" * length
    if taken:
        assert exclude.exclude_submissions(study, one, reason=reason, actor=None, now=NOW) == 1
        assert Decision.objects.get().reason == reason
    else:
        with pytest.raises(StateError, match="1 to 500 characters"):
            exclude.exclude_submissions(study, one, reason=reason, actor=None, now=NOW)


def test_the_paragraph_counts_who_is_left_out_and_how_many_people_they_are(study):
    stored = exclude.fix_rules(study, "lines", [Rule("one_answer")], actor=None, now=NOW)
    exclude.apply_rules(stored, actor=None, now=NOW)
    assert quality_done(study).hits == {"one_answer": (2, 1)}
    one = Submission.objects.filter(worker__pseudonym="wjudged00000", hit__slot=0)
    exclude.include_submissions(study, one, actor=None, now=NOW)
    assert quality_done(study).hits == {"one_answer": (1, 1)}
    assert "1 assignment gave one answer for at least 80% of their items." in paragraph(quality_done(study))


@pytest.mark.parametrize(
    ("name", "rules", "told"),
    [
        ("a", [Rule("nothing")], "no quality check called nothing"),
        ("a", [Rule("gold"), Rule("gold")], "twice"),
        (" ", [], "need a name"),
        ("w" * 101, [], "at most 100 characters"),
        ("a", [Rule("gold", float("nan"))], "finite number"),
        ("a", [Rule("gold", float("inf"))], "finite number"),
        ("a", [Rule("too_fast", 50)], "The threshold of Active time on each text must be a share of at most 1"),
        ("a", [Rule("too_fast", -0.1)], "The threshold of Active time on each text must be 0 or more"),
        ("a", [Rule("repeats", -1)], "must be 0 or more"),
    ],
)
def test_odd_rules_are_refused(study, name, rules, told):
    with pytest.raises(StateError, match=told):
        exclude.fix_rules(study, name, rules, actor=None, now=NOW)


def test_thresholds_of_what_lies_on_both_sides_of_zero_may_be_below_it(study):
    rules = [Rule("disagreement", -0.2), Rule("without_reading", -3), Rule("entropy", -0.05), Rule("repeats", 2)]
    assert len(exclude.fix_rules(study, "a", rules, actor=None, now=NOW).rules) == 4


def test_gold_texts_that_most_people_answer_otherwise_are_doubted(study):
    """Eight people each; of t0 three give the known answer, of t1 (no more than half of them) exactly four."""
    for key, right in (("t0", 3), ("t1", 4)):
        study.texts.filter(key=key).update(known_label="5")
        shown = Presentation.objects.filter(text__key=key)
        shown.update(role="gold")
        five, two = (study.scale.labels.get(label=label) for label in ("5", "2"))
        answers = Judgment.objects.filter(presentation__in=shown).order_by("pk")
        for at, one in enumerate(answers):
            Judgment.objects.filter(pk=one.pk).update(label=five if at < right else two)
    assert evidence.doubted_gold(study) == [evidence.DoubtedGold("t0", "5", 8, 3)]


def test_second_work_of_a_person_is_told_apart_from_what_a_reviewer_left_out(study):
    """Of 16 submissions a reviewer left out one, and one is of somebody who had taken part before."""
    one, two, *_ = Submission.objects.order_by("pk")
    Decision.objects.create(submission=one, matter="analysis", verdict="exclude", reason=SECOND, at=NOW)
    exclude.exclude_submissions(study, Submission.objects.filter(pk=two.pk), reason="Asleep.", actor=None, now=NOW)
    unblind(study, actor="ada", now=NOW - timedelta(days=1))
    told = paragraph(quality_done(study))
    assert "2 (12.5%) were excluded (1 by a reviewer's decision on the single submission, 1 of these after" in told
    assert "1 of these were of people who had taken part before; their first work was used." in told


def test_conditions_that_differ_by_generator_alone_are_tabulated_apart(study):
    first = study.hits.order_by("slot").first()
    second = Generator.objects.create(study=study, name="large")
    Cell.objects.filter(pk=first.cell_id).update(generator=study.generators.get(name="tiny"))
    other = Cell.objects.create(arm=first.cell.arm, generator=second)
    study.hits.exclude(pk=first.pk).update(cell=other)
    gone = set(Submission.objects.filter(hit=first, worker__pseudonym="wjudged00000").values_list("pk", flat=True))
    rows = rule_effects.tables(study, gone).by_condition.rows
    assert [(row.group, row.left_out) for row in rows] == [("none × large", 0), ("none × tiny", 10)]


def test_what_is_left_out_is_tabulated_by_source_and_condition(study):
    gone = set(Submission.objects.filter(worker__pseudonym="wjudged00000").values_list("pk", flat=True))
    found = rule_effects.tables(study, gone)
    # Every HIT holds as many of both sources, so each loses the same.
    assert [(row.group, row.ratings, row.left_out) for row in found.by_source.rows] == [
        ("reference", 80, 10), ("model", 80, 10),
    ]  # fmt: skip
    assert found.by_source.p == 1.0
    assert found.by_condition.p is None


def test_the_texts_of_hits_are_those_that_were_shown(study):
    item = HitItem.objects.get(hit__slot=0, position=3)
    HitItem.objects.filter(pk=item.pk).update(role="gold")
    Presentation.objects.filter(text=item.text).update(role="gold")
    withdrawn, unread = Submission.objects.order_by("pk")[:2]
    Presentation.objects.filter(submission__in=[withdrawn, unread]).delete()
    Submission.objects.filter(pk=withdrawn.pk).update(raw="", raw_format=Submission.WITHDRAWN)
    Parse.objects.filter(submission=unread).delete()
    gone = set(Submission.objects.filter(worker__pseudonym="wjudged00002").values_list("pk", flat=True))
    by_hits = rule_effects.tables(study, gone)
    Study.objects.update(mode="imported")
    assert by_hits == rule_effects.tables(Study.objects.get(), gone)
    # 6 read submissions of 5 references and 4 model texts, and 8 of 5 and 5.
    assert [(row.ratings, row.left_out) for row in by_hits.by_source.rows] == [(70, 10), (64, 9)]


def test_texts_with_fewer_than_five_ratings_left_and_contexts_that_lost_a_side_are_counted():
    # Texts 0 to 3 stand in the first HIT, 4 to 7 in the second; the odd ones are the model's.
    study = make(workers=6, hits=2, texts=4)
    for key, texts in (("broken", (0, 1, 2, 5)), ("whole", (3, 4, 7)), ("one side", (6,))):
        context = Context.objects.create(study=study, key=key)
        study.texts.filter(key__in=[f"t{at}" for at in texts]).update(context=context)
    first = Submission.objects.filter(hit__slot=0)
    exclude.exclude_submissions(
        study, first.filter(worker__pseudonym="wjudged00000"), reason="Asleep.", actor=None, now=NOW
    )
    assert thinned_texts.thinned(study) == Thinned(texts=8, thin=0, contexts=2, broken=0)
    exclude.exclude_submissions(
        study, first.filter(worker__pseudonym="wjudged00001"), reason="Asleep.", actor=None, now=NOW
    )
    assert thinned_texts.thinned(study) == Thinned(texts=8, thin=4, contexts=2, broken=1)


@pytest.mark.parametrize("sums", ["kept", "not kept"])
def test_texts_that_people_left_unanswered_are_counted_one_by_one(sums):
    """Three of six people left t0 unanswered: 3 ratings, with a running sum that tells so, or tells nothing (0)."""
    study = make(workers=6, hits=2, texts=4)
    skipped = ["wjudged00003", "wjudged00004", "wjudged00005"]
    gone, _ = Judgment.objects.filter(
        presentation__text__key="t0", presentation__submission__worker__pseudonym__in=skipped
    ).delete()
    study.hits.filter(slot=0).update(judged=24 - gone)
    if sums == "not kept":
        study.hits.update(judged=0)
    assert thinned_texts.thinned(study) == Thinned(texts=8, thin=1, contexts=0, broken=0)


def test_a_study_of_more_thin_texts_than_a_query_names_is_counted_whole(monkeypatch):
    study = make(workers=4, hits=2, texts=4)
    assert thinned_texts.thinned(study) == Thinned(texts=8, thin=8, contexts=0, broken=0)
    monkeypatch.setattr(thinned_texts, "MAX_NAMED_TEXTS", 3)
    assert thinned_texts.thinned(study) == Thinned(texts=8, thin=8, contexts=0, broken=0)


def test_contexts_that_lost_a_side_are_dropped_on_both_sides_where_a_version_says_so():
    """Of the first HIT (t0 to t3, a context with two texts of each source) every text keeps 4 of 6 ratings."""
    study = make(workers=6, hits=2, texts=4)
    for key, texts in (("broken", (0, 2, 1, 3)), ("whole", (4, 5, 6, 7))):
        context = Context.objects.create(study=study, key=key)
        study.texts.filter(key__in=[f"t{at}" for at in texts]).update(context=context)
    asleep = Submission.objects.filter(hit__slot=0, worker__pseudonym__in=["wjudged00000", "wjudged00001"])
    exclude.exclude_submissions(study, asleep, reason="Asleep.", actor=None, now=NOW)
    (before,) = score(study).generators
    assert ({one.id for one in before.items}, before.dropped) == ({f"t{at}" for at in range(8)}, ())
    stored = exclude.fix_rules(study, "pairs", [Rule("broken_pair")], actor=None, now=NOW)
    assert exclude.apply_rules(stored, actor=None, now=NOW) == exclude.Excluded(0, 0)
    given = score(study)
    (after,) = given.generators
    assert {one.id for one in after.items} == {"t4", "t5", "t6", "t7"}
    assert {one.id for one in after.dropped} == {"t0", "t1", "t2", "t3"}
    kept = {True: 4 * 6, False: 4 * 6}
    assert Counter(one.kept for one in given.ratings) == kept
    assert "4 texts of contexts that lost a side" in " ".join(one.sentence for one in given.warnings)
    assert (
        "1 of 2 contexts has no text with 5 ratings on one side; both sides were excluded from the results."
        in paragraph(quality_done(study))
    )
    nobody = exclude.fix_rules(study, "none", [], actor=None, now=NOW)
    exclude.apply_rules(nobody, actor=None, now=NOW)
    assert len(score(study).generators[0].items) == 8
    assert Judgment.objects.count() == 48


def test_gold_texts_stand_in_no_result_and_take_none_from_the_others(study):
    """A reference and a model text whose answers are known: raters meet them, nobody evaluates them."""
    study.texts.filter(key__in=["t0", "t1"]).update(known_label="3")
    Presentation.objects.filter(text__key__in=["t0", "t1"]).update(role="gold")
    Judgment.objects.filter(presentation__role="gold").update(text=None)
    given = score(study)
    (tiny,) = given.generators
    judged_keys = {f"t{i}" for i in range(2, 20)}
    assert {item.id for item in tiny.items} == judged_keys == {row.id for row in given.texts}
    found = huse_under_rules(tiny, given, k=3, draws=5)
    assert (found.headline.n, found.specifications[0].fewest) == (18, 8)


def test_two_people_code_and_a_third_word_settles():
    study = make(workers=2, hits=1, texts=2, reasons=True)
    ada, bea, cy = (member(study, "reviewer", name) for name in ("ada", "bea", "cy"))
    book = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    remark = Remark.objects.first()
    with pytest.raises(StateError, match="nothing to settle"):
        adjudicate(remark, book, ["mismatch"], actor=cy, now=NOW)
    code(remark, book, ["mismatch"], coder=ada, now=NOW)
    code(remark, book, ["null"], coder=bea, now=NOW)
    assert not Flag.objects.exists()
    with pytest.raises(StateError, match="Two people"):
        code(remark, book, ["mismatch"], coder=cy, now=NOW)
    adjudicate(remark, book, ["mismatch"], actor=cy, now=NOW)
    assert Flag.objects.get().kind == "mismatch"
    assert reviewing.left_out_by(study, (Rule("mismatch"),)) == {"mismatch": {remark.presentation.submission_id}}


def test_what_two_people_agreed_on_holds_until_it_is_coded_by_a_later_version_of_the_book():
    study = make(workers=1, hits=1, texts=2, reasons=True)
    ada, bea = member(study, "reviewer", "ada"), member(study, "reviewer", "bea")
    first, second = Remark.objects.order_by("pk")
    old = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    for remark, coder, given in ((first, ada, "mismatch"), (first, bea, "mismatch"), (second, ada, "null")):
        code(remark, old, [given], coder=coder, now=NOW)
    new = edit_codebook(study, "criteria", [["criteria", ["instructions", "uninterpretable"]]], actor=ada, now=NOW)
    code(second, new, ["null"], coder=ada, now=NOW)
    code(first, new, ["null"], coder=ada, now=NOW)
    assert [flag.kind for flag in Flag.objects.all()] == ["mismatch"]
    code(first, new, ["null"], coder=bea, now=NOW)
    assert not Flag.objects.exists()


def test_agreement_by_an_earlier_version_is_told_until_two_people_have_coded_by_a_later_one():
    study = make(workers=1, hits=1, texts=2, reasons=True)
    ada, bea = member(study, "reviewer", "ada"), member(study, "reviewer", "bea")
    book = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    for remark, given in zip(Remark.objects.order_by("pk"), ("mismatch", "null"), strict=True):
        for coder in (ada, bea):
            code(remark, book, [given], coder=coder, now=NOW)
    exclude.apply_rules(exclude.fix_rules(study, "two", [Rule("mismatch")], actor=ada, now=NOW), actor=ada, now=NOW)
    edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    assert "Two reviewers judged mismatch (κ = 1.00); 1 assignment was excluded." in paragraph(quality_done(study))


@pytest.mark.parametrize("codes", [["weather"], [], ["mismatch", "mismatch"], ["null", "mismatch"]])
def test_codes_are_those_of_the_book(codes):
    study = make(workers=2, hits=1, texts=1, reasons=True)
    ada = member(study, "reviewer", "ada")
    book = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    with pytest.raises(StateError):
        code(Remark.objects.first(), book, codes, coder=ada, now=NOW)


def test_the_paragraph_tells_how_far_two_reviewers_agreed():
    """Cohen's kappa of the textbook's table: both 20, the one alone 5, the other alone 10, neither 15: 0.40."""
    study = make(workers=5, hits=1, texts=10, reasons=True)
    ada, bob = member(study, "reviewer", "ada"), member(study, "reviewer", "bob")
    book = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    pairs = [("mismatch", "mismatch")] * 20 + [("mismatch", "null")] * 5
    pairs += [("null", "mismatch")] * 10 + [("null", "null")] * 15
    for remark, (first, second) in zip(Remark.objects.order_by("pk"), pairs, strict=True):
        code(remark, book, [first], coder=ada, now=NOW)
        code(remark, book, [second], coder=bob, now=NOW)
    exclude.apply_rules(exclude.fix_rules(study, "two", [Rule("mismatch")], actor=ada, now=NOW), actor=ada, now=NOW)
    told = paragraph(quality_done(study))
    assert "Two reviewers judged mismatch (κ = 0.40); 2 assignments were excluded." in told


def test_both_codebooks_are_exported_with_coders_by_number():
    study = make(workers=2, hits=1, texts=2, reasons=True)
    ada, bob = member(study, "reviewer", "ada"), member(study, "reviewer", "bob")
    remark = Remark.objects.order_by("pk").first()
    for purpose, categories, given in (("comments", COMMENTS, "grammar"), ("criteria", CRITERIA, "mismatch")):
        book = edit_codebook(study, purpose, categories, actor=ada, now=NOW)
        code(remark, book, [given], coder=ada, now=NOW)
        code(remark, book, ["null"], coder=bob, now=NOW + timedelta(minutes=1))
    told = {(one.codebook, one.coder, one.codes) for one in particulars.codes(study)}
    assert told == {
        (book, coder, codes)
        for book, given in (("comments", "grammar"), ("criteria", "mismatch"))
        for coder, codes in (("coder 1", (given,)), ("coder 2", ("null",)))
    }
    assert particulars.codebook(study, "criteria") == (("criteria", ("mismatch", "instructions", "uninterpretable")),)
    assert score(study).criteria == particulars.codebook(study, "criteria")


def test_agreement_compares_two_people_whoever_of_them_came_first():
    """Ada 25 of 50, Bob 30: po = .7, pe = .5 x .6 + .5 x .4 = .5, kappa = .4, in whatever turns they coded."""
    study = make(workers=5, hits=1, texts=10, reasons=True)
    ada, bob = member(study, "reviewer", "ada"), member(study, "reviewer", "bob")
    book = edit_codebook(study, "criteria", CRITERIA, actor=ada, now=NOW)
    pairs = [("mismatch", "mismatch")] * 20 + [("mismatch", "null")] * 5
    pairs += [("null", "mismatch")] * 10 + [("null", "null")] * 15
    for at, (remark, pair) in enumerate(zip(Remark.objects.order_by("pk"), pairs, strict=True)):
        turns = list(zip((ada, bob), pair, strict=True))
        # Bob comes first to those on which he alone sees a mismatch.
        for minute, (coder, given) in enumerate(reversed(turns) if 25 <= at < 35 else turns):
            code(remark, book, [given], coder=coder, now=NOW + timedelta(minutes=minute))
    found = {one.code: one.kappa.value for one in coding_progress(study, "criteria").agreement}
    assert found["mismatch"] == pytest.approx(0.4)


def test_the_paragraph_tells_what_was_left_out_after_results_were_seen_and_what_was_kept_against_a_rule(study):
    lines = exclude.fix_rules(study, "lines", [Rule("straight_lining")], actor=None, now=NOW)
    exclude.apply_rules(lines, actor=None, now=NOW)
    honest = Submission.objects.exclude(worker__pseudonym="wjudged00000").order_by("pk")
    exclude.exclude_submissions(study, honest.filter(pk=honest[0].pk), reason="Asleep.", actor=None, now=NOW)
    unblind(study, actor="ada", now=NOW + timedelta(minutes=1))
    later = NOW + timedelta(minutes=2)
    exclude.exclude_submissions(
        study, honest.filter(pk=honest[1].pk), reason="Spoils the picture.", actor=None, now=later
    )
    flat = Submission.objects.filter(worker__pseudonym="wjudged00000", hit__slot=0)
    exclude.include_submissions(study, flat, actor=None, now=later)
    told = paragraph(quality_done(study))
    assert "3 (18.8%) were excluded (2 by a reviewer's decision on the single submission, 1 of these after" in told
    assert "1 that a rule excludes was included by a reviewer's decision." in told


def test_the_paragraph_tells_payment_as_it_was_decided(study):
    """Sixteen submissions: one refused by two people, one on the marketplace, then the others paid."""
    ada, bea = member(study, "reviewer", "ada"), member(study, "reviewer", "bea")
    one, two, *_ = Submission.objects.order_by("pk")
    reject.propose_rejection(study, one, reason="One label was given for all texts.", actor=ada, now=NOW)
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    assert "1 of 16 submissions was rejected (not paid), each by two reviewers." in paragraph(quality_done(study))
    reason = "Rejected on the marketplace."
    Decision.objects.create(submission=two, matter="payment", verdict="reject", reason=reason, at=NOW)
    told = paragraph(quality_done(study))
    assert "2 of 16 submissions were rejected (not paid), 1 of them on the marketplace." in told
    assert "No decision on payment is recorded for 14 of 16 submissions." in told
    review.approve(study, Submission.objects.all(), actor=ada, now=NOW)
    assert "no decision" not in paragraph(quality_done(study)).lower()


def test_an_edited_codebook_is_a_new_version():
    study = make(workers=2, hits=1, texts=1)
    ada = member(study, "editor", "ada")
    edit_codebook(study, "comments", COMMENTS, actor=ada, now=NOW)
    edit_codebook(study, "comments", read_lines(["form: grammar, rhythm", "", "other: odd"]), actor=ada, now=NOW)
    assert Codebook.objects.get(number=2).categories == [["form", ["grammar", "rhythm"]], ["other", ["odd"]]]
    with pytest.raises(StateError, match="Line 1"):
        read_lines(["no colon"])


def test_a_hold_has_a_reason_and_an_end():
    study = make(workers=2, hits=1, texts=1)
    ada, worker = member(study, "owner", "ada"), Worker.objects.first()
    with pytest.raises(StateError, match="reason"):
        hold.hold(worker, reason=" ", until=NOW.date() + timedelta(days=9), actor=ada, now=NOW)
    with pytest.raises(StateError, match="future"):
        hold.hold(worker, reason="Too fast twice.", until=NOW.date(), actor=ada, now=NOW)
    hold.hold(worker, reason="Too fast twice.", until=NOW.date() + timedelta(days=9), actor=ada, now=NOW)
    assert hold.lift_hold(worker, actor=ada, now=NOW) == 1
    assert worker.holds.get().lifted_by == ada


def test_who_somebody_is_takes_a_permission_and_is_noted():
    study = make(workers=2, hits=1, texts=1)
    ada, root = member(study, "owner", "ada"), member(study, "owner", "root", is_superuser=True)
    worker = Worker.objects.first()
    with pytest.raises(StateError, match="permission"):
        hold.look_up(worker, reason="A complaint.", actor=ada, now=NOW)
    assert not Look.objects.exists()
    found = hold.look_up(worker, reason="A complaint.", actor=root, now=NOW)
    assert (found.external_id, Look.objects.get().user) == ("A9REALIDjudged00000", root)


def test_work_of_people_on_hold_when_a_study_was_made_carries_a_flag():
    ada = member(make(workers=2, hits=1, texts=1), "owner", "ada")
    before = Study.objects.get().created_at - timedelta(days=1)
    until = before.date() + timedelta(days=9)
    first, _ = Worker.objects.order_by("pk")
    hold.hold(first, reason="Too fast twice.", until=until, actor=ada, now=before)
    assess(Study.objects.get(), now=NOW)
    assert list(Flag.objects.filter(kind="held").values_list("submission__worker", flat=True)) == [first.pk]
