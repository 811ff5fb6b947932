"""A public snapshot leads to no person, says what is missing, and its report can be computed again by anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from metrics.__main__ import main
from metrics.errors import BadInput
from metrics.report.build import report_of
from metrics.report.records import ReportInput
from metrics.report.release.bundle import differing_numbers, write_bundle
from metrics.report.release.look import flag_comments, rare_combinations, scan_files
from metrics.report.release.public import ReleaseChoices, make_public
from metrics.report.row_records import AssignmentRow, Attached, CodeRow, CommentRow
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from tests.metrics.report.samples import NOW, study

CHOICES = ReleaseChoices("CC-BY-4.0", "Asked before the first task.")
MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)


def snapshot(data: ReportInput) -> Snapshot:
    content = content_of(data)
    return Snapshot(Header("headlines", 3, NOW, "ada@example.org", "report", sha256_of(content)), content)


@pytest.fixture(scope="module")
def original() -> Snapshot:
    """Ratings of many raters; times, comments, codes and a colleague's name are planted."""
    data = study({"good": (0.0, 0.0)}, texts=16, raters=8)
    raters = sorted({row.rater for row in data.ratings})
    bodies = ("Too long.", "My name is Kim, write to kim@example.org", "No comment")
    comments = tuple(CommentRow(data.texts[i].id, raters[i], "why", body) for i, body in enumerate(bodies))
    codes = (CodeRow(comments[0].text, comments[0].rater, "why", "ada", ("length",)),)
    file = Attached("scores", "s.csv", "0" * 64, {"scores": {}}, actor="ada", attached_at=NOW)
    return snapshot(replace(data, comments=comments, codes=codes, attached=(file,), codebook=(("form", ("length",)),)))


def test_two_releases_share_no_pseudonym_and_no_order(original: Snapshot) -> None:
    first, second = (make_public(original, CHOICES, number=i, now=MIDNIGHT).snapshot for i in (1, 2))
    before, one, two = ([row.rater for row in one.report_input.ratings] for one in (original, first, second))
    assert not set(before) & set(one)
    assert not set(one) & set(two)
    assert len(set(before)) == len(set(one)) == len(set(two)) > 20
    # Who comes first says nothing: the ratings of the first rater of one release are another's in the other.
    assert [row.label for row in first.report_input.ratings] != [row.label for row in second.report_input.ratings]


def test_nothing_planted_is_left(original: Snapshot) -> None:
    text = make_public(original, CHOICES, number=1, now=MIDNIGHT).snapshot.document().decode()
    for word in ("Kim", "kim@example.org", '"ada', "T12:00", "T09:00", "T17:00"):
        assert word not in text
    assert {row.rater for row in original.report_input.ratings} & set(text.replace('"', " ").split()) == set()


def test_who_does_not_share_is_gone_and_means_are_those_of_the_others(original: Snapshot) -> None:
    data = original.report_input
    withheld = frozenset(sorted({row.rater for row in data.ratings})[:7])
    public = make_public(original, replace(CHOICES, withheld=withheld), number=1, now=MIDNIGHT)
    shared = public.snapshot.report_input
    public_raters = {row.rater for row in shared.ratings}
    assert len(public_raters) == len({row.rater for row in data.ratings}) - 7
    assert "7 raters did not agree to share" in shared.warnings[-1].sentence
    # Reference: the mean of what the others chose, text by text.
    for facts in shared.generators:
        for item in facts.items:
            values = [row.value for row in data.ratings if row.text == item.id and row.rater not in withheld]
            assert item.hj == Fraction(sum(values), len(values))
    differing = differing_numbers(report_of(original), report_of(public.snapshot))
    assert any(path.startswith("generators.good") for path in differing)
    # No submission of this study is recorded, so that the ratings name who shares; the study's own count is not theirs.
    assert shared.raters == len(public_raters) < (data.crowd.workers or 0)


def test_a_released_comment_has_a_name_of_its_own(original: Snapshot) -> None:
    (row, *_rest) = original.report_input.comments
    choices = replace(CHOICES, comments=frozenset({(row.text, row.rater, row.question)}))
    data = make_public(original, choices, number=1, now=MIDNIGHT).snapshot.report_input
    (comment,) = data.comments
    assert comment.body == "Too long."
    assert comment.rater not in {row.rater for row in data.ratings}
    assert [(code.rater, code.coder) for code in data.codes] == [(comment.rater, "coder 1")]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"licence": " "}, "name the licence"),
        ({"consent": ""}, "how people agreed"),
        ({"withheld": frozenset({"w-unknown"})}, "no rater of the study is called w-unknown"),
        ({"comments": frozenset({("t", "w", "why")})}, "there is no comment on t by w"),
    ],
)
def test_a_wrong_choice_is_named(original: Snapshot, wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        make_public(original, replace(CHOICES, **wrong), number=1, now=MIDNIGHT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("mail kim@example.org", "email address"),
        ("see www.example.org/me", "web address"),
        ("I am @kimreads there", "handle"),
        ("call +49 170 1234567", "phone number"),
        ("my id A3KIM0EXAMPLE1", "worker or panel ID"),
        ("Lindenstraße 12, near me", "postal address"),
        ("Mein Name ist Kim", "name"),
        ("I'm 24 and tired", "age or place"),
        ("it reminds me of Heidelberg", "capitalized word"),
    ],
)
def test_what_may_say_who_wrote_it_is_flagged(original: Snapshot, body: str, kind: str) -> None:
    text = original.report_input.texts[0]
    judged = {text.id: text.body}
    (item,) = flag_comments([CommentRow(text.id, "w", "why", body)], judged)
    assert kind in {flag for flag, _ in item.flags}
    assert flag_comments([CommentRow(text.id, "w", "why", "Too long.")], judged)[0].flags == ()


def test_the_rarest_combination_comes_first() -> None:
    rows = [AssignmentRow(f"A{i}", f"w{i}", "HIT 1", payment="approved") for i in range(6)]
    rows.append(AssignmentRow("A9", "w9", "HIT 1", payment="rejected", kept=False, flags=("fast",)))
    (rare,) = rare_combinations(rows)
    assert (rare.raters, str(rare)) == (1, "conditions: the only one, tasks: 1, excluded: 1, rejected: 1, flags: fast")


def test_days_are_counted_from_the_first_submission() -> None:
    data = study({"good": (0.0, 0.0)})
    rater = data.ratings[0].rater
    late = [NOW, NOW + timedelta(hours=1), NOW + timedelta(days=2)]
    rows = tuple(AssignmentRow(f"A{i}", rater, f"H{i}", submitted_at=at, seconds=60) for i, at in enumerate(late))
    public = make_public(snapshot(replace(data, assignments=rows)), CHOICES, number=1, now=MIDNIGHT)
    assert public.days_csv() == "day,submissions\n0,2\n1,0\n2,1\n"
    assert {(row.submitted_at, row.seconds) for row in public.snapshot.report_input.assignments} == {(None, None)}


def test_the_bundle_is_computed_again_byte_for_byte_and_describes_its_files(
    original: Snapshot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = snapshot(replace(original.report_input, comments=(), codes=()))
    public = make_public(original, CHOICES, number=1, now=MIDNIGHT)
    bundle = write_bundle(public, original, CHOICES, tmp_path / "bundle")
    # Everybody shares: each number is that of the study's own report, ends of resampled intervals among them.
    assert bundle.differing == ()
    readme = (bundle.folder / "README.md").read_text()
    assert "None: each number is that of the study's own report" in readme
    assert "Every rater's answers are in it." in public.snapshot.report_input.warnings[-1].sentence
    assert main(["report", str(bundle.folder / "snapshot.json"), "--out", str(tmp_path / "redone")]) == 0
    capsys.readouterr()
    redone, report = (
        {p.name: p.read_bytes() for p in f.iterdir()} for f in (tmp_path / "redone", bundle.folder / "report")
    )
    assert redone == report
    crate = json.loads((bundle.folder / "ro-crate-metadata.json").read_text())
    croissant = json.loads((bundle.folder / "croissant.json").read_text())
    described = {file["@id"] for file in croissant["distribution"]}
    names = {p.relative_to(bundle.folder).as_posix() for p in bundle.folder.rglob("*") if p.is_file()}
    metadata = {"croissant.json", "ro-crate-metadata.json", "SHA256SUMS"}
    assert described == names - metadata
    assert {part["@id"] for part in crate["@graph"][1]["hasPart"]} == names - {"ro-crate-metadata.json", "SHA256SUMS"}
    ratings = next(table for table in croissant["recordSet"] if table["name"] == "ratings")
    header = (bundle.folder / "report" / "ratings.csv").read_text().splitlines()[0].split(",")
    assert [field["name"] for field in ratings["field"]] == header
    with pytest.raises(BadInput, match="exists already"):
        write_bundle(public, original, CHOICES, tmp_path / "bundle")


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        ("A1KIMEXAMPLE99", "worker ID"),
        ("2026-11-21T14:05", "time of day"),
        ("5f1234567890abcdef123456", "ID of a panel"),
        ("3" + "0A" * 14 + "Z", "internal ID"),
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "internal ID"),
        ("w0123456789abcdef", "pseudonym of the study"),
        ("p0123456789ab", "pseudonym of another release"),
    ],
)
def test_the_scan_finds_what_is_planted_and_nothing_else(original: Snapshot, planted: str, kind: str) -> None:
    public = make_public(original, CHOICES, number=1, now=MIDNIGHT, random=Random(4)).snapshot
    files = {"snapshot.json": public.document()}
    assert scan_files(files, public.report_input) == ()
    files["notes.txt"] = f"seen {planted}.".encode()
    assert [(found.file, found.kind, found.excerpt) for found in scan_files(files, public.report_input)] == [
        ("notes.txt", kind, planted)
    ]
