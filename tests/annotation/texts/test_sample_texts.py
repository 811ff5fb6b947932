"""Texts that a model samples, or that BM25 retrieves, become texts of a study with everything that made them."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Likelihood, Study, Text
from tests.annotation.texts.test_score_texts import imported
from tests.metrics.likelihood.tiny import WORDS, model, one_at_a_time, saved

pytestmark = pytest.mark.django_db


def sampled(folder: Path, study: str = "new", **more: object) -> str:
    given = {"model": str(folder), "generator": "mine", "max_tokens": 6, "temperature": 0.7, "joiner": " "} | more
    call_command("sample_texts", study, stdout=(told := io.StringIO()), stderr=io.StringIO(), **given)
    return told.getvalue()


def lines(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_context_gets_a_text_with_its_settings_and_the_log_p_it_was_sampled_with(tmp_path: Path) -> None:
    study, folder = imported(tmp_path, 4), saved(tmp_path / "model")
    assert "4 texts of mine added" in sampled(folder, seed=3, top_k=10)
    texts = list(study.texts.filter(generator__name="mine").select_related("context", "generator").order_by("pk"))
    assert [text.context.key for text in texts] == ["c0", "c1", "c2", "c3"]
    told = texts[0].generation
    assert (told["seed"], told["temperature"], told["top_k"], told["top_p"]) == (3, 0.7, 10, None)
    assert (told["prompt"], told["max_tokens"], told["attempt"]) == (texts[0].context.body, 6, 1)
    assert told["model"] == "model"
    assert told["revision"].startswith("sha256:")
    assert texts[0].generator.decoding == "sample t=0.7 top_k=10"


def test_the_log_p_of_the_pass_is_the_log_p_that_scoring_finds(tmp_path: Path) -> None:
    imported(tmp_path, 6)
    sampled(saved(tmp_path / "model"), temperature=1.0, max_tokens=40)
    rows = Likelihood.objects.filter(generator__name="mine", text__generation__stopped="end")
    assert rows.exists()
    for row in rows.select_related("text__context"):
        whole, tokens = one_at_a_time(model("gpt2"), row.text.context.body, row.text.body)
        assert (row.log_prob, row.length) == (pytest.approx(whole, abs=1e-4), tokens)


def test_the_same_seed_writes_the_same_texts_and_another_seed_others(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model")
    found = []
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        imported(tmp_path, 4, name=name)
        sampled(folder, name, seed=seed)
        found.append(list(Text.objects.filter(study__name=name, generator__name="mine").values_list("body", flat=True)))
    assert found[0] == found[1] != found[2]


def test_priming_is_stored_by_its_ids_and_what_repeats_it_is_sampled_again(tmp_path: Path) -> None:
    imported(tmp_path, 3)
    examples = [{"id": f"p{i}", "candidate": " ".join(WORDS[i:])} for i in range(3)]
    said = sampled(saved(tmp_path / "model"), priming=lines(tmp_path / "priming.jsonl", examples), separator=" then ")
    told = Text.objects.filter(generator__name="mine")[0].generation
    assert (told["priming_ids"], told["separator"], told["most_overlap"]) == ("p0,p1,p2", " then ", 0.8)
    assert "0 kept although" in said


def test_texts_behind_a_prompt_need_no_contexts(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source\nr1,the cat sat,reference\n")
    call_command("import_texts", path, study="bare", create=True, stdout=io.StringIO())
    folder = saved(tmp_path / "model")
    with pytest.raises(CommandError, match="say how many texts"):
        sampled(folder, "bare")
    assert "3 texts of mine added" in sampled(folder, "bare", count=3, prompt="the cat")
    assert Text.objects.filter(generator__name="mine", context=None).count() == 3


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"temperature": 0.0}, "temperature must be above 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"max_tokens": 900}, "the model's window is 64"),
        ({"generator": "tiny"}, "has texts of tiny already"),
        ({"count": 3}, "has 3 contexts"),
    ],
)
def test_what_cannot_be_sampled_is_a_sentence_and_nothing_is_added(
    tmp_path: Path, more: dict[str, object], sentence: str
) -> None:
    study = imported(tmp_path, 3)
    with pytest.raises(CommandError, match=sentence):
        sampled(saved(tmp_path / "model"), **more)
    assert study.texts.count() == 6


def retrieved(tmp_path: Path, rows: list[dict[str, str]]) -> str:
    path = lines(tmp_path / "training.jsonl", rows)
    call_command("retrieve_texts", "new", training=path, stdout=(told := io.StringIO()))
    return told.getvalue()


def test_retrieval_answers_with_the_response_to_the_most_similar_input(tmp_path: Path) -> None:
    study = imported(tmp_path, 3)
    reference = study.texts.get(key="r1").body
    rows = [
        {"context": "some dog ran", "candidate": "about a dog"},
        {"context": "a a a", "candidate": reference},
        {"context": "one cat", "candidate": "about a cat"},
    ]
    # The contexts are "the the sat", "the a sat", "the cat sat".
    assert "3 texts of bm25 added" in (said := retrieved(tmp_path, rows))
    assert "1 of them share no word" in said
    found = {text.context.key: text for text in study.texts.filter(generator__name="bm25").select_related("context")}
    assert (found["c1"].body, found["c2"].body) == (reference, "about a cat")
    assert found["c2"].generation["input"] == "one cat"
    own = Likelihood.objects.filter(generator__name="bm25", text__source="model")
    assert set(own.values_list("log_prob", flat=True)) == {0.0}
    others = Likelihood.objects.filter(generator__name="bm25", text__source="reference")
    assert dict(others.values_list("text__key", "log_prob")) == {"r0": -math.inf, "r1": 0.0, "r2": -math.inf}


def test_a_training_file_without_pairs_is_a_sentence(tmp_path: Path) -> None:
    imported(tmp_path, 2)
    with pytest.raises(CommandError, match="has no pairs"):
        retrieved(tmp_path, [])


def test_texts_are_added_to_a_draft_only(tmp_path: Path) -> None:
    study = imported(tmp_path, 2)
    Study.objects.filter(pk=study.pk).update(status=Study.Status.PUBLISHED)
    for act in (lambda: sampled(saved(tmp_path / "m")), lambda: retrieved(tmp_path, [{"candidate": "a"}])):
        with pytest.raises(CommandError, match="to a draft only"):
            act()
