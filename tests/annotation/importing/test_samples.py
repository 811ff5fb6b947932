"""The sample texts of each task kind: enough for its templates to be laid out, checked and priced."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from annotation.design.lay_out import design
from annotation.design.presets import PRESETS, preset_settings
from annotation.exceptions import StateError
from annotation.importing.add_samples import add_samples, has_samples
from annotation.models import Study
from annotation.studies.create import Plan, create

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def _draft(name: str) -> Study:
    plan = Plan(**preset_settings(PRESETS[name], "USD"))  # type: ignore[arg-type]
    return create(name, mode="rehearsal", plan=plan, wording=PRESETS[name].wording, actor="ada", now=NOW)


@pytest.mark.parametrize("name", PRESETS)
def test_every_template_can_be_laid_out_with_the_samples_of_its_kind(name: str) -> None:
    study = _draft(name)
    assert has_samples(study)
    added = add_samples(study, actor="ada", now=NOW)
    assert added.texts == study.texts.count() >= 20
    assert not has_samples(study)
    laid_out = design(study, actor="ada", now=NOW)
    assert laid_out.hits > 0
    with pytest.raises(StateError, match="has texts"):
        add_samples(study, actor="ada", now=NOW)


def test_samples_fill_a_training_that_has_no_items() -> None:
    study = _draft("clark-2021")
    add_samples(study, actor="ada", now=NOW)
    stored = study.wordings.last()
    assert stored is not None
    training = stored.body["training"]
    assert all(training[arm] for arm in ("instructions", "examples", "comparison"))
    study.refresh_from_db()
    assert study.evaluators_per_cell == 12  # of the paper's 130: a rehearsal to look at


def test_a_kind_without_samples_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    study = _draft("two-models")
    kind = PRESETS["two-models"].kind
    bare = replace(kind, folder=kind.folder / "presets")
    monkeypatch.setattr("annotation.importing.add_samples.kind_called", lambda name: bare)
    with pytest.raises(StateError, match=r"The task type pair.* has no sample texts"):
        add_samples(study, actor="ada", now=NOW)
