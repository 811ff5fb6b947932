"""HUSE-Q where there is no log p."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metrics import evaluate
from metrics.data.to_json import result_json
from metrics.errors import MissingLogProb, SingleSource
from metrics.huse.estimate import huse_q_only
from tests.metrics.factories import rated_study, summary_items


def test_quality_alone_is_the_huse_q_of_a_full_study():
    study, _ = rated_study(40)
    bare = [replace(item, log_prob=None, length=1) for item in study]
    whole, alone = evaluate(study, ["exact"])["exact"].huse_q, huse_q_only(bare)
    assert (alone.value, alone.interval, alone.n) == (whole.value, whole.interval, whole.n)


def test_the_measures_that_need_log_prob_are_none_and_say_why():
    study, _ = rated_study(20)
    study[3] = replace(study[3], log_prob=None)
    result = evaluate(study, missing="quality_only")["exact"]
    for estimate in (result.huse, result.huse_d, result.log_prob_only):
        assert (estimate.value, estimate.interval) == (None, None)
        assert estimate.flags[0] == "missing_log_prob"
        assert estimate.settings["items_without_log_prob"] == 1
    assert result.huse_q.value is not None
    assert result_json(result)["huse"]["value"] is None


def test_nothing_changes_where_no_log_prob_is_missing():
    study, _ = rated_study(20)
    assert evaluate(study, missing="quality_only") == evaluate(study)


def test_the_default_still_refuses_and_one_source_is_refused_too():
    study = [replace(item, log_prob=None) for item in rated_study(20)[0]]
    with pytest.raises(MissingLogProb):
        evaluate(study)
    with pytest.raises(SingleSource):
        huse_q_only(study[:20])


@pytest.mark.needs_data
def test_quality_alone_of_the_released_study_in_both_modes(data_dir):
    study = [replace(item, log_prob=None) for item in summary_items(data_dir)]
    assert huse_q_only(study, draws=0).value == 0.6
    assert huse_q_only(study, "paper", draws=0).value == 0.5800000000000001
