"""A study that a command creates has an owner, so that somebody sees it in the console."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.accounts.models import User
from annotation.models import Membership, Study

pytestmark = pytest.mark.django_db
PASSWORD = "a long password 1"
TEXTS = "id,text,source,generator\nr1,A reference,reference,\nm1,By a model,model,tiny\n"


def create_by(*words: str, command: str = "new_study") -> str:
    out = io.StringIO()
    call_command(command, *words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def owners(study: str) -> list[tuple[str, str]]:
    rows = Membership.objects.filter(study__name=study).order_by("user__username")
    return list(rows.values_list("user__username", "role"))


def test_the_only_superuser_owns_it_whoever_else_there_is() -> None:
    User.objects.create_superuser("root")
    User.objects.create_user("ben", password=PASSWORD)
    assert "Owner: root" in create_by("headlines")
    assert owners("headlines") == [("root", "owner")]


def test_else_the_only_user_who_can_sign_in() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    User.objects.create_user("lab", password=None)
    create_by("headlines")
    assert owners("headlines") == [("ada", "owner")]


def test_of_several_the_owner_is_to_be_named_and_nothing_is_created_before(tmp_path: Path) -> None:
    for name in ("ada", "ben"):
        User.objects.create_user(name, password=PASSWORD)
    file = tmp_path / "texts.csv"
    file.write_text(TEXTS, encoding="utf-8")
    imports = (str(file), "--study", "imported", "--create")
    question = "Who will own the study\\? Name a user by --owner, such as one of: ada, ben\\."
    for command, words in (("new_study", ("headlines",)), ("import_texts", imports)):
        with pytest.raises(CommandError, match=question):
            create_by(*words, command=command)
    assert Study.objects.count() == 0
    create_by("headlines", "--owner", "ben")
    create_by(*imports, "--as", "ada", command="import_texts")
    create_by("headlines", "copy", "--owner", "ada", command="duplicate")
    assert [owners(name) for name in ("headlines", "imported", "copy")] == [
        [("ben", "owner")],
        [("ada", "owner")],
        [("ada", "owner")],
    ]
    # Texts are added to a study that has its owner: nobody is asked.
    with pytest.raises(CommandError, match="There is already a study called imported"):
        create_by(*imports, command="import_texts")


def test_where_nobody_can_sign_in_yet_there_is_no_owner_and_no_question() -> None:
    assert "Owner" not in create_by("headlines")
    assert owners("headlines") == []
