"""The command that imports texts: looking first, every problem in a file, and nothing half done."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEvent, Context, Generator, Study, Text
from tests.annotation.readers.faults import FAULTS, planted, rows
from tests.annotation.readers.test_planted_faults import good_lines

pytestmark = [pytest.mark.database, pytest.mark.django_db]

GOOD = "id,text,source,generator,context\nr1,snow delays it,reference,,c1\nm1,rain delays it,model,tiny,c1\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text(GOOD)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """500 rows with every fault that a CSV can have."""
    names = [name for name, fault in FAULTS.items() if "csv" in fault.forms]
    content, _ = planted(good_lines(500, "csv"), names, form="csv", seed=4, good=list(rows(500)))
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    return path


def nothing_there() -> bool:
    return not any(model.objects.exists() for model in (Study, Text, Context, Generator, AuditEvent))


def test_a_file_with_every_fault_leaves_nothing_behind(bad: Path) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("import_texts", bad, study="new", create=True)
    assert caught.value.returncode == 2
    assert nothing_there()
    told = str(caught.value)
    for fault in FAULTS.values():
        assert f"[{fault.code}]" in told or fault.warns or "csv" not in fault.forms


def test_a_dry_run_shows_the_first_rows_and_changes_nothing(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_texts", good, study="new", create=True, dry_run=True)
    told = capsys.readouterr().out.splitlines()
    assert told[:4] == [
        "Cells are separated by commas, as seen from the file.",
        "2 rows read. The first 2:",
        "  row 2",
        "    id: 'r1'",
    ]
    assert told[-1] == "Dry run: 2 texts could be added; nothing was changed."
    assert nothing_there()


def test_a_dry_run_tells_what_the_study_contradicts(good: Path, tmp_path: Path) -> None:
    call_command("import_texts", good, study="s", create=True)
    more = tmp_path / "more.csv"
    more.write_text(
        "id,text,source,generator,context,context_text,decoding\n"
        "r1,another,reference,,c2,,\nm2,a text,model,tiny,c2,,\n"
        "m3,b text,model,tiny,c1,a wording,t=2\nr3,x,reference,,c1,,\n"
    )
    with pytest.raises(CommandError) as caught:
        call_command("import_texts", more, study="s", dry_run=True, allow=["unpaired-context"])
    told = str(caught.value)
    assert "[two-decodings]" in told
    more.write_text(more.read_text().replace("tiny,c1,a wording,t=2", "tiny,c1,a wording,"))
    with pytest.raises(CommandError) as caught:
        call_command("import_texts", more, study="s", dry_run=True)
    told = str(caught.value)
    assert "row 2, column 'id': the study has a text with the id 'r1' already. [id-in-study]" in told
    assert "row 4, column 'context_text': the context 'c1' has another text in the study. [differs-from-study]" in told
    assert Text.objects.count() == 2


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_every_problem_goes_into_a_file(bad: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"problems.{form}"
    with pytest.raises(CommandError) as caught:
        call_command("import_texts", bad, study="new", create=True, problems_out=out)
    content = out.read_text(encoding="utf-8")
    if form == "csv":
        found = list(csv.DictReader(content.splitlines()))
    else:
        found = json.loads(content) if form == "json" else [json.loads(line) for line in content.splitlines()]
    assert list(found[0]) == ["file", "row", "column", "code", "severity", "rule", "what_to_do"]
    errors = [one for one in found if one["severity"] == "error"]
    assert f"{len(errors)} problems in all" in str(caught.value)
    assert {fault.code for fault in FAULTS.values() if "csv" in fault.forms} <= {one["code"] for one in found}


def test_names_and_words_are_matched_by_options(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("ID;sentence;who\nr1;snow;human\nm1;rain;gpt2\n")
    call_command(
        "import_texts",
        str(path),
        "--study=s",
        "--create",
        "--column=id=ID",
        "--column=text=sentence",
        "--column=source=who",
        "--source=human=reference",
        "--source=gpt2=model",
        "--generator=gpt2",
        "--delimiter=semicolon",
    )
    assert list(Text.objects.order_by("key").values_list("key", "body", "source", "generator__name")) == [
        ("m1", "rain", "model", "gpt2"),
        ("r1", "snow", "reference", None),
    ]


def test_what_is_allowed_is_in_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(GOOD.replace("m1,rain delays it,model,tiny,c1\n", ""))
    call_command("import_texts", path, study="s", create=True, allow=["unpaired-context"])
    assert "Warning: texts.csv, row 2, column 'context': the context 'c1' has no model text" in capsys.readouterr().out
    assert AuditEvent.objects.get(verb="add_texts").facts["allowed"] == ["unpaired-context"]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--column=words=text", "columns.words"),
        ("--source=human=person", "must be reference or model"),
        ("--column=text", "does not have the form A=B"),
        ("--delimiter=tabs", "use one of comma, semicolon, tab, pipe"),
        ("--encoding=rot13", "no text encoding named 'rot13'"),
        ("--problems-out=a.txt", "ends in .csv, .json or .jsonl"),
        ("--allow=nul", "invalid choice"),
        ("--column=domain=genre", "the mapping names it for 'domain'"),
    ],
)
def test_an_option_that_cannot_be_is_told(good: Path, option: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("import_texts", str(good), "--study=s", "--create", option)
    assert nothing_there()


def test_a_large_pile_is_written_in_stretches(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_bytes(b"".join(good_lines(4100, "csv")))
    call_command("import_texts", path, study="s", create=True)
    assert (Text.objects.count(), Context.objects.count(), Generator.objects.count()) == (4100, 2050, 1)
    last = Text.objects.get(key="m2049")
    assert (last.context.body, last.likelihoods.get().log_prob_text) == ("Match 2049 was played.", "-70.5")


def test_a_text_with_a_known_label_is_gold_and_needs_no_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "id,text,source,generator,context,known_label",
        "r1,snow delays it,reference,,c1,",
        "m1,rain,model,tiny,c1,",
    ]
    (tmp_path / "texts.csv").write_text("\n".join([*lines, "g1,colourless sleep green,model,tiny,c9,Very rare"]) + "\n")
    call_command("import_texts", tmp_path / "texts.csv", study="new", create=True)
    assert dict(Text.objects.values_list("key", "known_label")) == {"r1": "", "m1": "", "g1": "Very rare"}
    assert "1 of the texts are gold" in capsys.readouterr().out


def test_texts_added_later_meet_the_ids_and_contexts_that_are_there(good: Path, tmp_path: Path) -> None:
    call_command("import_texts", good, study="new", create=True)
    more = tmp_path / "more.csv"
    more.write_text(GOOD.replace("r1", "r2").replace("m1", "m2").replace("snow", "hail").replace("rain", "fog"))
    call_command("import_texts", more, study="new")
    assert Context.objects.count() == 1
    assert Text.objects.filter(context__key="c1").count() == 4
    with pytest.raises(CommandError, match="'r2' already"):
        call_command("import_texts", more, study="new")


def test_a_mapping_that_names_no_column_of_sources_is_an_error_before_the_file_is_read(
    good: Path, tmp_path: Path
) -> None:
    mapping = tmp_path / "mapping.json"
    mapping.write_text('{"shape": "long", "text": "text"}')
    with pytest.raises(
        CommandError, match=r"mapping\.json is incomplete: Choose the column that says who wrote a text"
    ):
        call_command("import_texts", good, study="new", create=True, mapping=mapping)
    assert nothing_there()


def test_ids_that_differ_in_their_unicode_form_alone_are_one_id_twice(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text("id,text,source,generator\ncaf\u00e9,One text,reference,\ncafe\u0301,Another text,model,tiny\n")
    with pytest.raises(CommandError, match=r"row 3, column 'id': .*Unicode form.*\[duplicate-id\]"):
        call_command("import_texts", file, study="new", create=True)
    assert nothing_there()
