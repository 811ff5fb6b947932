"""One card is one study: the cell is drawn when a person enters, and never changed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from botocore.exceptions import ClientError

from annotation.marketplace.assignments.enter_study import enter_study
from annotation.marketplace.core import clock
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Draw, DrawEvent, Requester, StudyDraw, WorkerAccount
from tests.marketplace.channels.test_managed import service
from tests.marketplace.people import reason
from tests.marketplace.qualifications.test_qualifications import make
from tests.marketplace.question_samples import hit_parameters


@pytest.mark.database
def test_arrivals_fill_the_cells_evenly_and_the_log_says_why(study, people):
    published = study(cells=4, places=2)
    for person in people(8):
        published.enter(person)
    assert Counter(Draw.objects.values_list("cell", flat=True)) == {f"drawn.{letter}": 2 for letter in "abcd"}
    events = list(DrawEvent.objects.order_by("number"))
    assert [event.number for event in events] == list(range(1, 9))
    assert [sum(event.counts.values()) for event in events] == list(range(8))
    assert [len(event.tied) for event in events] == [4, 3, 2, 1, 4, 3, 2, 1]


@pytest.mark.database
def test_a_seed_that_was_set_replays_every_line_and_stays_once_somebody_was_assigned(study, people, lab):
    assay = service(lab)
    assay.set_draw_seed(Study="drawn", Seed="spring-26")
    published = study(cells=4, places=2)
    for person in people(3):
        published.enter(person)
    log = assay.list_draws(Study="drawn")
    assert log["Seed"] == "spring-26"
    for row in log["Events"]:
        number = random.Random(f"spring-26:drawn:{row['Number']}").random()
        assert (row["RandomNumber"], row["Cell"]) == (number, row["Tied"][int(number * len(row["Tied"]))])
    assert assay.set_draw_seed(Study="DRAWN", Seed="spring-26")["Seed"] == "spring-26"
    with pytest.raises(ClientError, match="assigned by the seed spring-26"):
        assay.set_draw_seed(Study="drawn", Seed="another")
    with pytest.raises(ClientError, match="must match"):
        assay.set_draw_seed(Study="drawn", Seed="two words")
    lab.hit(Keywords="assay:study=plain")
    with pytest.raises(ClientError, match="HITs of plain name no cell"):
        assay.set_draw_seed(Study="plain", Seed="1")


def test_whatever_hit_is_posted_the_draw_decides(study, people):
    published = study(cells=4, places=5)
    for person in people(4):
        assert person.accept(published.hits["a"][0]).status_code == 200
    assert sorted(Draw.objects.values_list("cell", flat=True)) == [f"drawn.{letter}" for letter in "abcd"]


def test_who_returned_comes_back_to_the_same_cell_and_was_not_counted_meanwhile(study, people):
    published = study(cells=2, places=3)
    ann, bob, eve = people(3)
    task = published.enter(ann)
    cell = published.cell(ann)
    ann.give_back(task)
    assert not Draw.objects.get().counted
    published.enter(bob)
    published.enter(eve)
    assert {published.cell(bob), published.cell(eve)} == {"a", "b"}
    published.enter(ann)
    assert published.cell(ann) == cell
    kinds = [kind for kind, _ in published.log()]
    assert kinds == ["drawn", "left", "drawn", "drawn", "came back"]
    assert DrawEvent.objects.get(kind="came back").counts == {"drawn.a": 1, "drawn.b": 1}


def test_whose_time_ran_out_is_not_counted(study, people, pass_time):
    published = study(cells=2, places=3, LifetimeInSeconds=9000, AssignmentDurationInSeconds=60)
    ann, bob = people(2)
    published.enter(ann)
    pass_time(61)
    published.enter(bob)
    assert [kind for kind, _ in published.log()] == ["drawn", "left", "drawn"]
    assert DrawEvent.objects.get(number=3).counts == {}


def test_who_has_submitted_stays_counted_when_they_return_the_next_task(study, ann):
    published = study(cells=2, places=3, hits=2)
    first = published.enter(ann)
    ann.hand_in(first)
    ann.give_back(published.enter(ann))
    assert Draw.objects.get().counted
    assert [kind for kind, _ in published.log()] == ["drawn"]


@pytest.mark.database
def test_further_tasks_are_of_the_same_cell_only(study, ann):
    published = study(cells=3, places=3, hits=2)
    for _ in range(2):
        ann.hand_in(published.enter(ann))
    cells = {published.letter_of(hit) for hit in Assignment.objects.values_list("hit__hit_id", flat=True)}
    assert cells == {published.cell(ann)}
    other = next(hits[0] for letter, hits in published.hits.items() if letter != published.cell(ann))
    assert reason(ann.accept(other)) == "held"
    assert ann.offers() == []


@pytest.mark.database
def test_pressing_twice_takes_one_place(study, ann):
    published = study(cells=2, places=3, hits=2)
    first, second = published.enter(ann), published.enter(ann)
    assert first.id == second.id
    assert Assignment.objects.count() == 1


def test_the_list_shows_one_card_without_anything_of_a_cell(study, ann):
    published = study(
        cells=2,
        places=3,
        Title=lambda letter: f"Rate {letter}-1x",
        Description=lambda letter: f"It is {letter}-2x",
        Reward=lambda letter: {"a": "0.50", "b": "0.70"}[letter],
    )
    page = ann.get("/hits/").text
    assert page.count('<li class="task"') == 1
    card = ann.get(f"/hits/{published.any_hit()['HITId']}/").text
    for text in (page, card):
        assert "$0.50 to $0.70" in text
        assert not any(word in text for word in ("a-1x", "b-1x", "a-2x", "b-2x", "<iframe"))
    group = published.any_hit()["HITGroupId"]
    assert "a-1x" not in ann.get(f"/hits/groups/{group}/").text


def test_after_the_draw_nothing_of_another_cell_can_be_seen(study, ann):
    published = study(cells=2, places=3, hits=2, Title=lambda letter: f"Rate {letter}-1x")
    task = published.enter(ann)
    mine = published.cell(ann)
    other = {"a": "b", "b": "a"}[mine]
    hit = published.hits[other][0]
    addresses = [f"/hits/{hit['HITId']}/", f"/hits/groups/{hit['HITGroupId']}/", "/hits/", "/hits/history/"]
    for submitted in (False, True):
        for address in addresses:
            assert f"{other}-1x" not in ann.get(address).text, (address, submitted)
        ann.hand_in(task)
    assert {published.letter_of(hit) for hit in ann.offers()} == {mine}


def test_pay_that_differs_is_shown_after_the_draw_and_before_the_task(study, ann):
    published = study(cells=2, places=3, Reward=lambda letter: {"a": "0.50", "b": "0.70"}[letter])
    answer = ann.accept(published.any_hit())
    assert reason(answer) == "your-pay"
    assert {"a": "$0.50", "b": "$0.70"}[published.cell(ann)] in answer.text
    assert "<iframe" not in answer.text
    path = answer.url.path
    assert reason(ann.get(path.replace("/pay/", "/"))) == "your-pay"
    assert "<iframe" in ann.post(path, path).text


def test_a_study_whose_cells_are_all_full_says_so_and_draws_nobody(study, people):
    published = study(cells=2, places=1)
    *inside, late = people(3)
    for person in inside:
        published.enter(person)
    assert reason(late.accept(published.any_hit())) == "full"
    assert reason(late.get(f"/hits/{published.any_hit()['HITId']}/")) == "full"
    assert published.cell(late) == ""
    assert len(published.log()) == 2


def test_a_cell_that_lost_its_hits_is_drawn_no_more(study, lab, people):
    published = study(cells=2, places=5)
    lab.client.update_expiration_for_hit(HITId=published.hits["b"][0]["HITId"], ExpireAt=0)
    for person in people(3):
        published.enter(person)
    assert published.log() == [("drawn", "a")] * 3


def test_who_comes_back_to_a_cell_that_is_full_by_now_keeps_it_and_reads_that_it_is_full(study, people):
    published = study(cells=1, places=1)
    ann, bob = people(2)
    ann.give_back(published.enter(ann))
    published.enter(bob)
    assert reason(ann.accept(published.any_hit())) == "full"
    assert (published.cell(ann), published.log()[-1]) == ("a", ("drawn", "a"))


def test_studies_of_two_requesters_with_one_tag_are_two_draws(study, open_lab, ann):
    mine = study(cells=2, places=2)
    theirs = type(mine).publish(open_lab("other"), cells=2, places=2)
    published = [mine, theirs]
    for each in published:
        ann.hand_in(each.enter(ann))
    assert StudyDraw.objects.count() == 2
    assert Draw.objects.filter(worker__worker_id=ann.worker_id).count() == 2


@pytest.mark.parametrize(
    "cut", ["assay:cell=", "assay:cell=drawn", "assay:cell=drawn.", "assay:cell=a.b, assay:cell=a.c"]
)
def test_a_keyword_that_was_cut_is_refused(lab, cut):
    _, message = lab.refused("create_hit", **hit_parameters(Keywords=cut))
    assert "assay:cell=" in message
    assert StudyDraw.objects.count() == 0


def test_a_hit_of_a_drawn_study_names_its_cell(study, lab):
    study(cells=2, places=2, tag="spring", Keywords="assay:study=spring")
    _, message = lab.refused("create_hit", **hit_parameters(Keywords="assay:study=spring"))
    assert "assay:cell=" in message


def test_a_pass_for_once_is_free_again_for_who_returned_and_for_this_study_only(study, lab, ann):
    absent = {"QualificationTypeId": make(lab, Keywords="assay:once"), "Comparator": "DoesNotExist"}
    first = study(cells=2, places=2, QualificationRequirements=[absent])
    second = study(cells=2, places=2, tag="other", QualificationRequirements=[absent])
    ann.give_back(first.enter(ann))
    refused = ann.accept(second.any_hit())
    assert reason(refused) == "series"
    # The way back leads into the study that was begun, whichever of its HITs has a place.
    assert any(f"/hits/{hit['HITId']}/" in refused.text for hits in first.hits.values() for hit in hits)
    ann.hand_in(first.enter(ann))
    assert reason(ann.accept(first.any_hit())) == "held"


def test_the_verb_refuses_an_unknown_study(lab, ann):
    worker = WorkerAccount.objects.get(worker_id=ann.worker_id)
    with pytest.raises(WorkRefusedError, match="closed"):
        enter_study(Requester.objects.get(), "nothing", worker=worker, now=clock.now())


def test_looking_moves_no_counter(study, ann):
    published = study(cells=2, places=2)
    group = published.any_hit()["HITGroupId"]
    for address in ("/hits/", f"/hits/{published.any_hit()['HITId']}/", f"/hits/groups/{group}/"):
        assert ann.get(address).status_code == 200
    assert (Draw.objects.count(), DrawEvent.objects.count()) == (0, 0)


def test_a_rehearsal_under_its_own_tag_moves_no_counter_of_the_study(study, people):
    live, rehearsal = study(cells=2, places=2), study(cells=2, places=2, tag="rehearsal")
    ann, bob = people(2)
    rehearsal.enter(ann)
    rehearsal.enter(bob)
    assert (live.log(), len(rehearsal.log())) == ([], 2)
    live.enter(ann)
    assert DrawEvent.objects.get(study_draw__study="drawn").counts == {}
