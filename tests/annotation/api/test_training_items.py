"""Training items by the web API and by a command: the same verbs, the same refusals."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.design.wording import from_json
from annotation.models import Role, Study
from tests.annotation.api.conftest import Caller, fault

pytestmark = pytest.mark.django_db
PAIR = {"training": "comparison", "human": "By me", "machine": "By it", "explanation": "{machine} says little."}
PARAGRAPH = {"training": "instructions", "text": "Read to the end."}


@pytest.fixture
def editor(study: Study) -> Caller:
    Study.objects.update(status="draft")
    study.refresh_from_db()
    return Caller("edith", study, Role.EDITOR)


def body(editor: Caller, study: Study, method: str, more: str = "", sent: Any = None) -> dict[str, Any]:
    answer = editor(method, f"/studies/{study.uuid}/training-items{more}", sent)
    assert answer.status_code in {200, 201}, answer.content
    return dict(answer.json())


def shown(told: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(item["training"], item["number"], item["text"] or item["human"]) for item in told["items"]]


def test_items_are_added_moved_replaced_removed_and_imported(editor: Caller, study: Study) -> None:
    for text in ("one", "two"):
        body(editor, study, "post", sent={"item": {**PARAGRAPH, "text": text}})
    told = body(editor, study, "post", sent={"item": PAIR})
    assert shown(told) == [("instructions", 1, "one"), ("instructions", 2, "two"), ("comparison", 1, "By me")]
    told = body(editor, study, "post", "/instructions/2/move", {"to": 1, "version": told["version"]})
    assert shown(told)[:2] == [("instructions", 1, "two"), ("instructions", 2, "one")]
    told = body(editor, study, "put", "/1", {"item": PARAGRAPH})
    assert shown(told)[0] == ("instructions", 1, "Read to the end.")
    told = body(editor, study, "delete", "/instructions/2")
    assert len(told["items"]) == 2
    told = body(editor, study, "put", sent={"items": [PAIR, PAIR], "append": True})
    assert [number for arm, number, _ in shown(told) if arm == "comparison"] == [1, 2, 3]
    told = body(editor, study, "put", sent={"items": [PAIR]})
    assert shown(told) == [("instructions", 1, "Read to the end."), ("comparison", 1, "By me")]
    assert {fault["rule"] for fault in told["faults"]} == {"training_unused"}


@pytest.mark.parametrize(
    "item",
    [
        {**PAIR, "human": ""},
        {**PAIR, "explanation": "  "},
        {"training": "examples", "text": "x", "source": "robot", "explanation": "y"},
        {"training": "none", "text": "x"},
    ],
)
def test_an_item_that_is_not_complete_is_refused(editor: Caller, study: Study, item: dict[str, Any]) -> None:
    before = study.wordings.count()
    assert fault(editor("post", f"/studies/{study.uuid}/training-items", {"item": item}))[0] == 422
    assert study.wordings.count() == before


def test_an_older_version_changes_nothing(editor: Caller, study: Study) -> None:
    told = body(editor, study, "post", sent={"item": PARAGRAPH})
    body(editor, study, "post", sent={"item": PAIR})
    answer = editor("delete", f"/studies/{study.uuid}/training-items/comparison/1?version={told['version']}")
    assert answer.status_code == 409
    assert len(body(editor, study, "get")["items"]) == 2


def called(*words: str) -> str:
    out = io.StringIO()
    call_command("training_items", "headlines", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_lists_adds_exports_and_imports(editor: Caller, study: Study, tmp_path: Path) -> None:
    assert "instructions: Read on." in called("--add", "instructions", "--text", "Read on.")
    pair = [f"--{name}={text}" for name, text in PAIR.items() if name != "training"]
    assert "comparison: By me | By it | {machine} says little." in called("--add", "comparison", *pair)
    before = from_json(study.wordings.latest("version").body).training
    for name in ("items.csv", "items.jsonl"):
        path = tmp_path / name
        assert "2 items written" in called("--export", str(path))
        assert "Nothing was changed." in called("--import", str(path), "--append", "--dry-run")
        called("--import", str(path))
        assert from_json(study.wordings.latest("version").body).training == before
    with pytest.raises(CommandError, match="needs --explanation"):
        called("--add", "examples", "--text", "x", "--source", "human")
    (tmp_path / "bad.csv").write_text("training,text\nexamples,x\n")
    with pytest.raises(CommandError, match="row 2, column 'source': must be human or machine"):
        called("--import", str(tmp_path / "bad.csv"))
