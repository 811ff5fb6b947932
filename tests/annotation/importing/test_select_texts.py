"""Selections stored: what is judged, what the record holds, and running it again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.collecting.counts import crowd_counts
from annotation.design.lay_out import design
from annotation.exceptions import DesignError, StateError
from annotation.importing.add_texts import add_texts
from annotation.models import AuditEvent, Likelihood, Selection, Study, Text
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.reports.report_rows import words
from annotation.reports.study_facts import study_facts
from annotation.studies.create import Plan, create
from annotation.texts.queries import texts
from annotation.texts.select import repeat_selection, select_texts

pytestmark = [pytest.mark.database, pytest.mark.django_db]

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CUT = {"steps": [{"rule": "minimum-words", "words": 4}, {"rule": "truncate", "words": 5}]}
SPLIT = {"steps": [{"rule": "split", "sizes": {"evaluate": 2, "prompt": 1}}]}


def record(key: str, body: str, *, model: bool, context: str, scored: bool = False) -> TextRecord:
    likelihoods = (LikelihoodRecord("g", -1.0, 4, "whitespace"),) if scored else ()
    source = "model" if model else "reference"
    return TextRecord(key, body, source, "g" if model else None, context=context, likelihoods=likelihoods)


def draft(*, scored: bool = False) -> Study:
    study = create("draft", mode="live", plan=Plan(texts_per_hit=2), actor="test", now=NOW)
    pile = [
        record(
            f"{'m' if model else 'r'}{at}",
            f"{'Rain' if model else 'Snow'} delays match {at}. It is over. Nobody won it.",
            model=model,
            context=f"c{at}",
            scored=scored,
        )
        for at in range(4)
        for model in (False, True)
    ]
    add_texts(study, [*pile, record("r9", "Short.", model=False, context="c9")], actor="test", now=NOW)
    return study


def chosen(study: Study, plan: dict, **more: bool):
    return select_texts(study, plan, actor="test", now=NOW, **more)


def test_a_selection_is_stored_with_its_funnel_and_only_its_texts_are_judged() -> None:
    study = draft()
    done = chosen(study, CUT)
    assert (done.number, done.pool, done.kept, done.cut, done.by_side) == (1, 9, 8, 8, {"reference": 4, "g": 4})
    stored = Selection.objects.get(study=study)
    assert [(line["told"], line["removed"], line["changed"]) for line in stored.funnel] == [
        ("at least 4 words", 1, 0),
        ("cut at the end of the sentence that reaches 5 words", 0, 8),
    ]
    first = Text.objects.get(key="r0")
    assert (first.body, first.cut_at) == ("Snow delays match 0. It is over.", 32)
    assert first.original == "Snow delays match 0. It is over. Nobody won it."
    assert Text.objects.get(key="r9").left_out == "1 minimum-words"
    assert {text.key for text in texts(study)} == {f"{side}{at}" for side in "rm" for at in range(4)}
    assert AuditEvent.objects.filter(study=study, verb="select_texts").count() == 1


def test_only_selected_texts_come_into_hits() -> None:
    study = draft()
    chosen(study, SPLIT)
    design(Study.objects.get(pk=study.pk), actor="test", now=NOW)
    shown = set(Text.objects.filter(places__isnull=False).values_list("key", flat=True))
    assert shown == set(study.texts.judged().values_list("key", flat=True))
    assert len({key[1:] for key in shown}) == 2
    with pytest.raises(StateError, match="already has its HITs"):
        chosen(study, CUT)


def test_each_selection_starts_from_all_texts_as_they_were_imported() -> None:
    study = draft()
    before = list(Text.objects.order_by("pk").values("body", "original", "cut_at", "left_out", "split"))
    chosen(study, CUT)
    chosen(study, SPLIT)
    assert set(Text.objects.values_list("original", "cut_at")) == {("", None)}
    chosen(study, {"steps": [{"rule": "maximum-words", "words": 99}]})
    assert list(Text.objects.order_by("pk").values("body", "original", "cut_at", "left_out", "split")) == before
    assert list(Selection.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]


def test_a_stored_selection_comes_out_the_same_until_the_texts_are_others() -> None:
    study = draft()
    with pytest.raises(StateError, match="has no selection"):
        repeat_selection(study)
    chosen(study, SPLIT)
    assert repeat_selection(study).same
    Text.objects.filter(key="r0").update(split="prompt" if Text.objects.get(key="r0").split != "prompt" else "")
    assert repeat_selection(study).why == "a text's fate is another than the one stored"
    Text.objects.filter(key="r1").update(body="Another text.")
    assert repeat_selection(study).why == "texts were added or changed since"


def test_a_dry_run_changes_nothing() -> None:
    study = draft(scored=True)
    done = chosen(study, CUT, dry_run=True)
    assert (done.number, done.kept, done.dropped) == (None, 8, 8)
    assert not Selection.objects.exists()
    assert not Text.objects.exclude(left_out="").exists()


def test_log_probabilities_of_a_text_that_is_cut_do_not_stay_unnoticed() -> None:
    study = draft(scored=True)
    with pytest.raises(DesignError, match="8 texts with a log-probability, 'r0' the first"):
        chosen(study, CUT)
    assert (Selection.objects.count(), Likelihood.objects.count()) == (0, 8)
    assert chosen(study, CUT, drop_log_probs=True).dropped == 8
    assert not Likelihood.objects.exists()


def test_texts_that_come_after_a_selection_wait_for_the_next() -> None:
    study = draft()
    chosen(study, CUT)
    add_texts(study, [record("late", "A later text of words.", model=False, context="c8")], actor="test", now=NOW)
    assert Text.objects.get(key="late").left_out == "added after selection 1; select again"
    chosen(study, CUT)
    assert Text.objects.get(key="late").left_out == ""


def test_a_selection_that_leaves_nothing_is_refused() -> None:
    study = draft()
    with pytest.raises(DesignError, match="leaves no text of the study draft after the rule 'at least 1000 words'"):
        chosen(study, {"steps": [{"rule": "minimum-words", "words": 1000}]})
    assert not Selection.objects.exists()


def test_the_funnel_is_among_the_facts_of_the_report() -> None:
    study = draft()
    chosen(study, CUT)
    steps = study_facts(study, crowd_counts(study), words(study)).selection
    assert steps is not None
    assert [(step.rule, step.before, step.removed, step.changed, step.after) for step in steps] == [
        ("at least 4 words", 9, 1, 0, 8),
        ("cut at the end of the sentence that reaches 5 words", 8, 0, 8, 8),
    ]
    assert steps[0].sides == (("reference", 5, 4), ("g", 4, 4))


def test_the_command_tells_what_each_rule_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = draft()
    (tmp_path / "out.csv").write_text("id,reason\nr1,about another match\n")
    call_command("select_texts", "draft", minimum_words=4, exclude=tmp_path / "out.csv", pairs=True)
    told = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in told] == [
        "9 texts in the study draft",
        "-1 at least 4 words: 8 left",
        "-1 not excluded individually (1 named): 7 left",
        "-1 its context has a reference and a text of a generator: 6 left",
        "6 texts are judged: 3 of reference, 3 of g",
        "Stored as selection 1.",
    ]
    assert Text.objects.get(key="r1").left_out == "2 exclude: about another match"
    call_command("select_texts", "draft", repeat=True)
    assert "comes out the same" in capsys.readouterr().out
    study.texts.filter(key="r2").update(body="changed")
    with pytest.raises(CommandError, match="texts were added or changed since"):
        call_command("select_texts", "draft", repeat=True)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("plan.toml", "steps = [", "is not a plan"),
        ("plan.json", "[]", "no table found"),
        ("plan.toml", '[[steps]]\nrule = "minimum-words"\nwords = "many"', "Step 1, minimum-words: 'words' must be"),
    ],
)
def test_a_plan_file_that_cannot_be_kept_is_told(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    draft()
    (tmp_path / name).write_text(content)
    with pytest.raises(CommandError, match=sentence) as caught:
        call_command("select_texts", "draft", plan=tmp_path / name)
    assert caught.value.returncode == 2


def test_a_plan_file_sets_order_and_seed(tmp_path: Path) -> None:
    study = draft()
    plan = tmp_path / "plan.toml"
    plan.write_text('seed = 7\n[[steps]]\nrule = "truncate"\nwords = 5\n[[steps]]\nrule = "minimum-words"\nwords = 7\n')
    call_command("select_texts", "draft", plan=plan)
    stored = Selection.objects.get(study=study)
    assert (stored.plan["seed"], [step["rule"] for step in stored.plan["steps"]]) == (7, ["truncate", "minimum-words"])
