"""Best-worst scaling comes from a package outside Assay: from its template to LaTeX, and without the package."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from statistics import fmean

import pytest
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.design import kinds
from annotation.design.item_order import order_of_groups
from annotation.design.presets import load_preset
from annotation.exceptions import DesignError
from annotation.models import HitItem, Study
from annotation.publishing.cost_estimate import estimate_study
from annotation.publishing.publish import publish
from annotation.reports.gather import score
from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.report.formats.latex import latex
from metrics.report.sections import registry
from tests.annotation.publishing.rehearsed_kinds import NOW, drafted, rehearsed

pytestmark = pytest.mark.django_db
PACKAGE = Path(__file__).resolve().parents[3] / "examples" / "best_worst"
SYSTEMS = ("alpha", "beta", "gamma", "delta")
ENTRIES = {
    kinds.GROUP: EntryPoint("best_worst", "assay_best_worst.kind:KIND", kinds.GROUP),
    registry.GROUP: EntryPoint("best_worst", "assay_best_worst.section:SECTIONS", registry.GROUP),
}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The package, as if pip had installed it."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    for module in (kinds, registry):
        monkeypatch.setattr(module, "entry_points", lambda *, group: [ENTRIES[group]])
    kinds._load.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    kinds._load.cache_clear()


@pytest.fixture
def study(installed: pytest.MonkeyPatch) -> Study:
    preset = load_preset(kinds.kind_called("best_worst"), "best-worst")
    return drafted(preset, "best", contexts=12, generators=SYSTEMS)


def test_a_study_of_the_package_goes_from_its_template_to_latex(study: Study) -> None:
    bill = estimate_study(study).estimate
    laid_out = rehearsed(study, seed=2)
    assert (bill.hits, bill.reward_cents, bill.fee_cents) == (3, laid_out.reward_cents, laid_out.fee_cents)
    for hit in study.hits.all():
        contexts = [item.text.context_id for item in HitItem.objects.filter(hit=hit).order_by("position")]
        assert contexts == [context for context in dict.fromkeys(contexts) for _ in SYSTEMS]
    report = build_report(score(study))
    rows = list(csv.DictReader(csv_files(report)["ratings.csv"]))
    answers: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        system = row["item"].rstrip("0123456789")
        answers[row["rater"], row["item"].removeprefix(system)].append(row["label"])
        values[system][row["item"]].append(float(row["value"]))
    assert len(answers) == 12 * 5
    assert all(sorted(labels) == ["Best", "Neither", "Neither", "Worst"] for labels in answers.values())
    tables = {table.name: table for section in report.sections for table in section.tables}
    means = {row[1]: row[2].value for row in tables["scales"].rows}
    assert means == pytest.approx({name: fmean(map(fmean, texts.values())) for name, texts in values.items()})
    assert [row[0] for row in tables["best-worst"].rows] == ["Pearson", "Spearman"]
    assert all(0 < row[1] < row[2] < 1 and row[3] == 48 for row in tables["best-worst"].rows)
    assert "Split-half reliability" in latex(report, has_figures=False)


def test_scores_and_halves_are_those_of_the_specification(installed: pytest.MonkeyPatch) -> None:
    """One set A to D, answered (best, worst) AD, AC, BD, AD: scores .75, .25, -.25, -.75; halves .666667 or .707107."""
    import random

    from assay_best_worst.section import _halves, scores

    given = [
        {text: float((text == best) - (text == worst)) for text in "ABCD"} for best, worst in ("AD", "AC", "BD", "AD")
    ]
    assert scores(given) == {"A": 0.75, "B": 0.25, "C": -0.25, "D": -0.75}
    rng = random.Random(1)
    found = {round(_halves([given], rng)[0] or 0, 6) for _ in range(40)}
    assert found == {0.666667, 0.707107}


def test_without_the_package_the_study_is_read_and_exported_and_not_published(
    study: Study, installed: pytest.MonkeyPatch
) -> None:
    rehearsed(study, seed=2)
    Study.objects.filter(pk=study.pk).update(status=Study.Status.DRAFT)
    installed.undo()
    kinds._load.cache_clear()
    with pytest.raises(DesignError, match="best_worst is not installed"):
        publish(study, actor="ada", now=NOW)
    report = build_report(score(study))
    assert (report.input.study.task, len(report.input.ratings)) == ("best_worst", 240)
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    page = client.get(reverse("console:overview", args=[study.uuid]))
    assert page.status_code == 200
    assert "The task type best_worst is not installed" in page.content.decode()


def test_an_installation_with_the_package_offers_it_after_the_four_papers(tmp_path: Path) -> None:
    info = tmp_path / "assay_best_worst-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-best-worst\nVersion: 0.1.0\n", encoding="utf-8")
    entries = "".join(f"[{group}]\nbest_worst = {entry.value}\n" for group, entry in ENTRIES.items())
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    code = "from annotation.design.presets import PRESETS; print(*PRESETS)"
    shown = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    names = shown.stdout.split()
    assert names[:2] == ["huse-2019", "clark-2021"]
    assert names[-1] == "best-worst"


def test_the_package_is_small_and_nothing_in_assay_names_it() -> None:
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 400
    assay = [
        path
        for folder in ("annotation", "metrics", "hit_templates")
        for path in (PACKAGE.parents[1] / folder).rglob("*")
    ]
    sources = [path for path in assay if path.suffix in (".py", ".html", ".js")]
    assert [path for path in sources if "best_worst" in path.read_text(encoding="utf-8")] == []


def test_lines_of_a_group_stay_together_in_the_order_drawn_or_in_their_own() -> None:
    groups = ["a", "a", "a", "b", "b", "c"]
    shuffled = order_of_groups(groups, in_order=False, seed=4, assignment="A1")
    ordered = order_of_groups(groups, in_order=True, seed=4, assignment="A1")
    for found in (shuffled, ordered):
        assert sorted(found) == list(range(6))
        assert len([1 for at, place in enumerate(found) if not at or groups[place] != groups[found[at - 1]]]) == 3
    assert [[at for at in ordered if groups[at] == name] for name in "abc"] == [[0, 1, 2], [3, 4], [5]]
