"""CreateHITType, CreateHIT, CreateHITWithHITType (cases 7 to 25)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.marketplace.models import Hit
from tests.marketplace.question_samples import PAGE, external_question, hit_parameters, html_question

TYPE = {"Title": "t", "Description": "d", "Reward": "0.10", "AssignmentDurationInSeconds": 60}
APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
PRODUCTION_MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
SANDBOX_MASTERS = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


def requirement(type_id: str, comparator: str, **values: object) -> dict:
    return {"QualificationTypeId": type_id, "Comparator": comparator, **values}


@pytest.mark.database
def test_equal_properties_are_one_type(lab):
    first = lab.client.create_hit_type(**TYPE)["HITTypeId"]
    assert lab.client.create_hit_type(**TYPE, Keywords="")["HITTypeId"] == first
    assert lab.client.create_hit_type(**TYPE | {"Reward": "0.11"})["HITTypeId"] != first


def test_types_of_two_requesters_are_two(lab, open_lab):
    other = open_lab("other")
    assert lab.client.create_hit_type(**TYPE)["HITTypeId"] != other.client.create_hit_type(**TYPE)["HITTypeId"]


def test_a_hit_of_a_type_begins_assignable(lab):
    type_id = lab.client.create_hit_type(**TYPE)["HITTypeId"]
    hit = lab.client.create_hit_with_hit_type(
        HITTypeId=type_id, LifetimeInSeconds=600, MaxAssignments=3, Question=html_question()
    )["HIT"]
    assert (hit["HITStatus"], hit["HITReviewStatus"], hit["HITTypeId"]) == ("Assignable", "NotReviewed", type_id)
    assert (hit["MaxAssignments"], hit["NumberOfAssignmentsAvailable"]) == (3, 3)
    assert hit["Expiration"] - hit["CreationTime"] == timedelta(seconds=600)
    assert hit["AutoApprovalDelayInSeconds"] == 2_592_000


def test_ids_are_thirty_characters_beginning_with_3(lab):
    hit = lab.hit()
    for name in ("HITId", "HITTypeId", "HITGroupId"):
        assert len(hit[name]) == 30
        assert hit[name].startswith("3")


def test_an_unknown_type_is_refused(lab):
    made = {"HITTypeId": "3NOSUCHTYPE", "LifetimeInSeconds": 600, "Question": html_question()}
    assert lab.refused("create_hit_with_hit_type", **made)[0] == "InvalidParameterValue"


@pytest.mark.database
def test_a_repeated_token_names_the_hit_that_exists(lab):
    hit = lab.hit(UniqueRequestToken="one")
    code, message = lab.refused("create_hit", **hit_parameters(UniqueRequestToken="one"))
    assert code == "HitAlreadyExists"
    assert message.startswith(f'The HIT with ID "{hit["HITId"]}" already exists.')
    assert Hit.objects.count() == 1


@pytest.mark.database
def test_a_token_is_forgotten_after_a_day(lab, pass_time):
    first = lab.hit(UniqueRequestToken="one")
    pass_time(25 * 3600)
    second = lab.hit(UniqueRequestToken="one")
    assert first["HITId"] != second["HITId"]
    assert lab.refused("create_hit", **hit_parameters(UniqueRequestToken="one"))[0] == "HitAlreadyExists"


def test_a_token_belongs_to_its_requester(lab, open_lab):
    lab.hit(UniqueRequestToken="one")
    open_lab("other").hit(UniqueRequestToken="one")
    assert Hit.objects.count() == 2


@pytest.mark.database
def test_a_refused_creation_leaves_its_token_free(lab):
    lab.refused("create_hit", **hit_parameters(UniqueRequestToken="one", Question="not xml"))
    assert lab.hit(UniqueRequestToken="one")["HITStatus"] == "Assignable"


def filled(size: int, letter: str = "x") -> str:
    """A question of exactly `size` bytes in UTF-8."""
    empty = len(html_question(f"<p>{letter}</p>").encode()) - len(letter.encode())
    count, rest = divmod(size - empty, len(letter.encode()))
    return html_question(f"<p>{letter * count}</p>") + " " * rest


@pytest.mark.parametrize("letter", ["x", "é", "語", "🙂"])
@pytest.mark.database
def test_a_question_has_at_most_65535_bytes(lab, letter):
    longest = filled(65_535, letter)
    assert lab.look(lab.hit(Question=longest))["Question"] == longest
    assert lab.refused("create_hit", **hit_parameters(Question=filled(65_536, letter)))[0] == "ParameterValidationError"


BAD_QUESTIONS = {
    "no XML": "plain text",
    "another namespace": html_question().replace("2011-11-11", "2012-12-12"),
    "no namespace": "<HTMLQuestion><HTMLContent>x</HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>",
    "no height": html_question().replace("<FrameHeight>0</FrameHeight>", ""),
    "odd height": html_question(height="tall"),
    "negative height": html_question(height="-1"),
    "no content": html_question(page=""),
    "empty body": html_question(page="<html><body> </body></html>"),
    "other order": external_question("https://example.org/").replace(
        "<FrameHeight>600</FrameHeight>", ""
    ).replace("<ExternalURL>", "<FrameHeight>600</FrameHeight><ExternalURL>"),
    "a bomb": '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    "a file": f'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>{html_question("&b;")}',
    "a form": html_question().replace("HTMLQuestion", "QuestionForm"),
    "control character": html_question("<p>\x07</p>"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_QUESTIONS)
def test_questions_that_are_none_are_refused(lab, name):
    code, _ = lab.refused("create_hit", **hit_parameters(Question=BAD_QUESTIONS[name]))
    assert code == "ParameterValidationError"
    assert Hit.objects.count() == 0


@pytest.mark.parametrize(
    "changes", [{"Question": None}, {"Question": None, "HITLayoutId": "3LAYOUT"}, {"HITLayoutId": "3LAYOUT"}]
)
def test_a_hit_needs_a_question_and_layouts_are_not_taken(lab, changes):
    assert lab.refused("create_hit", **hit_parameters(**changes))[0] == "ParameterValidationError"


@pytest.mark.parametrize(
    ("member", "value", "sentence"),
    [
        ("HITLayoutId", "3LAYOUT", "fill the template yourself and send it as Question"),
        ("HITLayoutParameters", [{"Name": "a", "Value": "b"}], "fill the template yourself"),
        ("HITReviewPolicy", {"PolicyName": "SimplePlurality/2011-09-01"}, "compare the answers in your own code"),
        ("AssignmentReviewPolicy", {"PolicyName": "ScoreMyKnownAnswers/2011-09-01"}, "compare the answers"),
    ],
)
def test_what_is_not_carried_out_is_said_before_anything_is_published(lab, member, value, sentence):
    code, message = lab.refused("create_hit", **hit_parameters(**{member: value}))
    assert code == "ParameterValidationError"
    assert f"{member} is not supported" in message
    assert sentence in message
    assert Hit.objects.count() == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/", "ftp://example.org/", "https:///path", "https://user:pass@example.org/",
        "https://example.org/?assignmentId=1", "https://example.org/?a=1&workerId=", "javascript:alert(1)",
        "https://example.org/a b", "https://exam;ple.org/", "https://example.org:port/", "//example.org/",
    ],
)  # fmt: skip
def test_external_addresses_that_cannot_be_framed_are_refused(lab, url):
    code, _ = lab.refused("create_hit", **hit_parameters(Question=external_question(url)))
    assert code == "ParameterValidationError"


@pytest.mark.parametrize("url", ["https://example.org/a?b=1&c=2#d", "http://127.0.0.1:9/x", "http://localhost/x"])
def test_https_addresses_and_in_development_loopback_are_taken(lab, url):
    assert lab.hit(Question=external_question(url))["HITStatus"] == "Assignable"


def test_outside_development_loopback_must_be_https_too(lab, settings):
    settings.MARKETPLACE_DEVELOPMENT = False
    question = external_question("http://127.0.0.1:9/x")
    assert lab.refused("create_hit", **hit_parameters(Question=question))[0] == "ParameterValidationError"


LONGEST = {"Title": 128, "Description": 2_000, "Keywords": 1_000, "RequesterAnnotation": 255}


@pytest.mark.parametrize("name", LONGEST)
def test_texts_are_limited_in_characters(lab, name):
    longest = "🙂" * LONGEST[name]
    assert lab.look(lab.hit(**{name: longest}))[name] == longest
    assert lab.refused("create_hit", **hit_parameters(**{name: longest + "x"}))[0] == "ParameterValidationError"


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("LifetimeInSeconds", [30, 31_536_000], [29, 31_536_001]),
        ("AssignmentDurationInSeconds", [30, 31_536_000], [29, 31_536_001]),
        ("AutoApprovalDelayInSeconds", [0, 2_592_000], [-1, 2_592_001]),
        ("MaxAssignments", [1, 1_000_000_000], [0, 1_000_000_001]),
        ("Reward", ["0.00", "5.", "1000000.00"], ["0.123", ".20", "1,00", "-1", "0.10\n", "9" * 400, "1000000.01"]),
    ],
)
def test_numbers_are_limited(lab, name, good, bad):
    for value in good:
        lab.hit(**{name: value})
    for value in bad:
        assert lab.refused("create_hit", **hit_parameters(**{name: value}))[0] == "ParameterValidationError"


BAD_REQUIREMENTS = {
    "eleven": [requirement(APPROVED, "GreaterThan", IntegerValues=[n]) for n in range(11)],
    "16 integers": [requirement(APPROVED, "In", IntegerValues=list(range(16)))],
    "31 places": [requirement(LOCALE, "In", LocaleValues=[{"Country": "US"}] * 31)],
    "two places, one wanted": [requirement(LOCALE, "EqualTo", LocaleValues=[{"Country": "US"}, {"Country": "CA"}])],
    "values with Exists": [requirement(APPROVED, "Exists", IntegerValues=[1])],
    "integers on a place": [requirement(LOCALE, "EqualTo", IntegerValues=[1])],
    "a place elsewhere": [requirement(APPROVED, "EqualTo", LocaleValues=[{"Country": "US"}])],
    "an order of places": [requirement(LOCALE, "GreaterThan", LocaleValues=[{"Country": "US"}])],
    "no value": [requirement(APPROVED, "GreaterThan")],
    "a state of France": [requirement(LOCALE, "EqualTo", LocaleValues=[{"Country": "FR", "Subdivision": "CA"}])],
    "a long country": [requirement(LOCALE, "EqualTo", LocaleValues=[{"Country": "USA"}])],
    "unknown comparator": [requirement(APPROVED, "Roughly", IntegerValues=[1])],
    "unknown guard": [requirement(APPROVED, "Exists", ActionsGuarded="Everything")],
    "two guards": [requirement(APPROVED, "Exists", ActionsGuarded="Accept", RequiredToPreview=True)],
}


@pytest.mark.parametrize("name", BAD_REQUIREMENTS)
def test_requirements_outside_their_rules_are_refused(lab, name):
    made = hit_parameters(QualificationRequirements=BAD_REQUIREMENTS[name])
    assert lab.refused("create_hit", **made)[0] == "ParameterValidationError"


def test_requirements_are_shown_with_their_guards(lab):
    rows = [requirement(APPROVED, "GreaterThan", IntegerValues=[50])]
    shown = lab.look(lab.hit(QualificationRequirements=rows))["QualificationRequirements"]
    assert shown == [{**rows[0], "ActionsGuarded": "Accept", "RequiredToPreview": False}]


@pytest.mark.parametrize(("development", "good"), [(True, SANDBOX_MASTERS), (False, PRODUCTION_MASTERS)])
def test_each_site_knows_its_own_masters_only(lab, settings, development, good):
    settings.MARKETPLACE_DEVELOPMENT = development
    bad = ({SANDBOX_MASTERS, PRODUCTION_MASTERS} - {good}).pop()
    lab.hit(QualificationRequirements=[requirement(good, "Exists")])
    made = hit_parameters(QualificationRequirements=[requirement(bad, "Exists")])
    assert lab.refused("create_hit", **made)[0] == "QualificationTypeDoesNotExist"


@pytest.mark.database
def test_texts_come_back_as_they_went_in(lab):
    title = "Rate <b> & \"quotes\" 'n' 🙂 ]]>"
    question = html_question(PAGE.replace("Rate this.", "naïve 語 🙂 &amp;"))
    hit = lab.look(lab.hit(Title=title, Question=question, RequesterAnnotation="a&b"))
    assert (hit["Title"], hit["Question"], hit["RequesterAnnotation"]) == (title, question, "a&b")


def test_a_requester_never_sees_anothers_hits(lab, open_lab):
    other = open_lab("other")
    hit = other.hit()
    for operation, more in [
        ("get_hit", {}),
        ("delete_hit", {}),
        ("update_expiration_for_hit", {"ExpireAt": 0}),
        ("list_assignments_for_hit", {}),
        ("create_additional_assignments_for_hit", {"NumberOfAdditionalAssignments": 1}),
        ("list_bonus_payments", {}),
    ]:
        assert lab.refused(operation, HITId=hit["HITId"], **more)[0] == "PermissionDeniedException"
    assert lab.client.list_hits()["HITs"] == []
