"""A CSV of invited people: links, mails, and how far each has come."""

from __future__ import annotations

import csv
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import CommandError

from annotation.marketplace.core import clock
from annotation.marketplace.invitations import mailing
from annotation.marketplace.models import Link, Participant, ParticipantIdentity
from tests.marketplace.channels.guests import channel as open_channel
from tests.marketplace.channels.guests import tasks as offer
from tests.marketplace.channels.guests import told, written

GOOD = "\ufeffName,E-Mail ,email,ID\nAda,x,Ada@Example.org,student-4711\n=cmd(),x,,@b-2\n\nCy,x,cy@example.org,\n"


@pytest.fixture
def class_of_three(lab, tmp_path) -> Path:
    offer(lab)
    told("create", "class", "--requester", "lab", "--study", "spring", "--no-link", "--title", "Reading study")
    out = tmp_path / "links.csv"
    done = told("people", "class", written(tmp_path, "people.csv", GOOD), "--out", str(out))
    assert (done["invited"], done["invited_before"]) == (3, 0)
    return out


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.database
def test_everybody_gets_a_link_and_no_cell_is_a_formula(class_of_three):
    found = rows(class_of_three)
    assert [(row["email"], row["id"], row["name"]) for row in found] == [
        ("ada@example.org", "student-4711", "Ada"),
        ("", "'@b-2", "'=cmd()"),
        ("cy@example.org", "", "Cy"),
    ]
    assert len({row["link"] for row in found}) == 3


@pytest.mark.database
def test_inviting_the_same_people_again_makes_no_second_link(class_of_three, tmp_path):
    again = told("people", "class", written(tmp_path, "p.csv", GOOD), "--out", str(tmp_path / "more.csv"))
    assert (again["invited"], again["invited_before"], Link.objects.count()) == (0, 3, 3)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_files_of_other_spreadsheets_are_read(lab, tmp_path, separator):
    told("create", "class", "--requester", "lab", "--study", "spring", "--no-link")
    text = separator.join(["email", "name"]) + "\r\n" + separator.join(["ada@example.org", '"Lovelace, Ada"'])
    out = tmp_path / "links.csv"
    told("people", "class", written(tmp_path, "people.csv", text), "--out", str(out))
    assert rows(out)[0]["name"] == "Lovelace, Ada"


def test_a_personal_link_takes_no_id_from_its_address(lab):
    told("create", "class", "--requester", "lab", "--study", "spring", "--no-link")
    with pytest.raises(CommandError, match="needs no id"):
        told("link", "class", "--single", "2", "--id-parameter", "pid")
    assert (Link.objects.count(), Participant.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Row 1: a column named email or id is missing"),
        ("who\nx\n", "Row 1: a column named email or id is missing"),
        ("email\nada@example.org\nnobody\n", "Row 3, email: 'nobody' is not a valid email address"),
        ("email,name\n,Ada\n", "Row 2, email: an address or an id is needed"),
        ("id\na\nb\na\n", "Row 4, id: the same as in row 2"),
        ("email\nA@x.org\na@X.org\n", "Row 3, email: the same as in row 2"),
        (f"id\n{'x' * 201}\n", "Row 2, id: at most 200"),
        ('id,name\na,"x\x07"\n', "Row 2, name: at most 200 printable"),
        ('id\n"open\n', "Row"),
    ],
)
def test_a_bad_file_is_refused_whole_by_row_field_and_rule(lab, tmp_path, text, said):
    told("create", "class", "--requester", "lab", "--study", "spring", "--no-link")
    out = tmp_path / "links.csv"
    with pytest.raises(CommandError, match=said):
        told("people", "class", written(tmp_path, "people.csv", text), "--out", str(out))
    assert (Participant.objects.count(), out.exists()) == (0, False)


def test_states_are_told_and_names_only_when_asked_for(class_of_three, guest):
    links = [row["link"] for row in rows(class_of_three)]
    guest().open(links[0])
    guest().press(links[1], "decline")
    guest().enter(links[2])
    states = told("status", "class")
    assert [row["state"] for row in states["people"]] == ["opened", "declined", "began"]
    assert "example.org" not in str(states)
    named = told("status", "class", "--names")["people"]
    assert [row["email"] for row in named] == ["ada@example.org", "", "cy@example.org"]
    assert states["numbers"]["declined"] == 1


def test_who_declined_is_no_longer_known_but_may_think_again(class_of_three, guest):
    link = rows(class_of_three)[0]["link"]
    guest().press(link, "decline")
    assert set(ParticipantIdentity.objects.values_list("name", flat=True)) == {"=cmd()", "Cy"}
    guest().enter(link)
    assert Participant.objects.order_by("pk").first().declined_at is None


def test_mails_go_once_to_who_has_an_address_and_reminders_to_who_has_not_answered(class_of_three, guest, monkeypatch):
    with monkeypatch.context() as few:
        few.setattr(mailing, "MAX_A_DAY", 1)
        assert told("mail", "class") | {"channel": ""} == {"channel": "", "sent": 1, "left": 1}
        assert told("mail", "class") | {"channel": ""} == {"channel": "", "sent": 0, "left": 1}
    assert told("mail", "class") | {"channel": ""} == {"channel": "", "sent": 1, "left": 0}
    assert told("mail", "class")["sent"] == 0
    first = mail.outbox[0]
    assert (first.to, first.subject) == (["ada@example.org"], "Invitation to a study: Reading study")
    assert "no more mail" in first.body
    guest().press(re.search(r"http://\S+", first.body)[0], "decline")
    assert told("mail", "class", "--again")["sent"] == 0  # nobody is reminded on the same day
    Participant.objects.exclude(mailed_at=None).update(mailed_at=clock.now() - timedelta(days=1))
    assert told("mail", "class", "--again")["sent"] == 1
    reminder = mail.outbox[2]
    assert (reminder.to, reminder.subject.startswith("Reminder")) == (["cy@example.org"], True)
    guest().enter(re.search(r"http://\S+", mail.outbox[1].body)[0])
    assert guest().open(re.search(r"http://\S+", reminder.body)[0]) == "back"
    assert told("mail", "class", "--again")["sent"] == 0


def test_a_mail_server_that_fails_leaves_the_rest_for_the_next_run(class_of_three, settings, monkeypatch):
    sent = []

    def send(letter):
        sent.append(letter)
        if len(sent) == 2:
            raise OSError("no route")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
    assert told("mail", "class") | {"channel": ""} == {"channel": "", "sent": 1, "left": 1}
    assert told("mail", "class")["sent"] == 1


def test_ids_and_addresses_stand_in_the_vault_alone(class_of_three, guest, django_db_blocker):
    from django.apps import apps

    guest().enter(rows(class_of_three)[0]["link"])
    told("mail", "class")
    for model in apps.get_app_config("marketplace").get_models():
        if model is not ParticipantIdentity:
            assert "ada@example.org" not in str(list(model.objects.values()))
            assert "student-4711" not in str(list(model.objects.values_list()))


def test_a_channel_of_accounts_has_no_links(lab):
    told("create", "all", "--requester", "lab", "--study", "spring", "--kind", "accounts")
    with pytest.raises(CommandError, match="has no links"):
        told("link", "all")


def test_names_and_numbers_that_cannot_be_are_refused(lab):
    for words in (["--people", "0"], ["--pays", "ledger", "--opens", "2027-01-02", "--closes", "2027-01-01"]):
        with pytest.raises(CommandError):
            open_channel("odd", *words)
    open_channel("twice")
    with pytest.raises(CommandError, match="already"):
        open_channel("twice")
    with pytest.raises(CommandError, match="no channel called"):
        told("status", "none")
    with pytest.raises(CommandError, match="no requester called"):
        told("create", "x", "--requester", "nobody", "--study", "spring")
