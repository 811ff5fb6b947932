"""Which test runs each of the 80 cases of the specification, and the few cases that have no better home."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from annotation.marketplace.models import WorkerAccount
from tests.marketplace.qualifications.test_qualifications import make
from tests.marketplace.question_samples import html_question

HERE = Path(__file__).parents[1]
CREATION, LIFE, WIRE = "test_hit_creation", "test_hit_lifecycle", "test_wire"
# Case: module and tests.
CASES = {
    1: (WIRE, "a_fresh_account_tells_its_balance_as_text"),
    2: (WIRE, "a_script_is_pointed_here_by_one_environment_variable"),
    3: (WIRE, "a_fresh_account_tells_its_balance_as_text"),
    4: (WIRE, "a_wrong_secret_is_refused"),
    5: (WIRE, "an_unknown_target_is_400"),
    6: (WIRE, "a_body_that_is_not_a_json_object_is_400"),
    7: (CREATION, "equal_properties_are_one_type"),
    8: (CREATION, "equal_properties_are_one_type"),
    9: (CREATION, "a_hit_of_a_type_begins_assignable"),
    10: (CREATION, "an_unknown_type_is_refused"),
    11: (CREATION, "a_repeated_token_names_the_hit_that_exists"),
    12: (CREATION, "a_token_is_forgotten_after_a_day"),
    13: ("test_faults", "a_hit_whose_answer_was_lost_is_found_by_its_token"),
    14: (CREATION, "a_question_has_at_most_65535_bytes"),
    15: (CREATION, "questions_that_are_none_are_refused"),
    16: (CREATION, "a_hit_needs_a_question_and_layouts_are_not_taken"),
    17: (CREATION, "external_addresses_that_cannot_be_framed_are_refused"),
    18: (CREATION, "texts_are_limited_in_characters"),
    19: (CREATION, "numbers_are_limited"),
    20: (CREATION, "numbers_are_limited"),
    21: (CREATION, "requirements_outside_their_rules_are_refused"),
    22: (CREATION, "each_site_knows_its_own_masters_only"),
    23: (CREATION, "texts_come_back_as_they_went_in"),
    24: (WIRE, "errors_carry_code_message_and_time_tag"),
    25: ("test_isolation", "what_is_anothers_is_refused_and_unchanged"),
    26: ("test_listing", "pages_hold_10_10_5_0_and_every_full_one_a_token"),
    27: (WIRE, "parameters_outside_the_model_are_refused"),
    28: (WIRE, "parameters_outside_the_model_are_refused"),
    29: (LIFE, "a_hit_of_five_goes_through_amazons_own_table"),
    30: (LIFE, "counters_tell_waiting_work_from_decided_work"),
    31: (LIFE, "a_past_expiration_expires_an_empty_hit_at_once"),
    32: (LIFE, "who_is_inside_an_expired_hit_may_still_hand_in"),
    33: (LIFE, "a_later_expiration_opens_an_expired_hit_again"),
    34: (LIFE, "a_lifetime_elapses_by_itself"),
    35: (LIFE, "a_hit_made_with_nine_cannot_have_ten"),
    36: (LIFE, "more_assignments_open_a_reviewable_hit_again"),
    37: (LIFE, "additional_assignments_with_one_token_are_added_once"),
    38: (LIFE, "only_a_reviewable_hit_is_deleted"),
    39: (LIFE, "undecided_work_keeps_a_hit_from_deletion"),
    40: ("test_eighty_cases", "a_hit_under_review_is_deleted_and_leaves_the_lists"),
    41: (LIFE, "a_deleted_hit_stays_deleted"),
    42: (LIFE, "review_status_goes_forward_and_back_once"),
    43: ("test_listing", "reviewable_hits_are_filtered_by_status_and_type"),
    44: ("test_worker_site", "a_task_is_accepted_once"),
    45: ("test_worker_site", "an_unmet_requirement_guards_what_it_says"),
    46: ("test_eighty_cases", "places_are_compared_as_the_guide_says"),
    47: ("test_eighty_cases", "few_assignments_count_as_fully_approved"),
    48: ("test_qualifications", "who_lacks_a_qualification_meets_its_absence_only"),
    49: ("test_frames", "an_external_question_keeps_its_query"),
    50: ("test_frames", "forged_and_previewed_forms_record_nothing"),
    51: ("test_frames", "work_is_handed_in_once"),
    52: ("test_frames", "fields_become_answers_in_the_order_of_the_form"),
    53: ("test_frames", "a_crowd_form_arrives_as_one_json_answer"),
    54: ("test_listing", "assignments_are_filtered_by_status_and_never_shown_before_submission"),
    55: ("test_decisions", "work_that_is_only_accepted_is_out_of_reach"),
    56: ("test_decisions", "approval_pays_reward_and_fee"),
    57: ("test_decisions", "work_is_approved_once"),
    58: ("test_decisions", "a_rejection_is_overridden_only_on_purpose"),
    59: ("test_decisions", "a_rejection_costs_nothing_and_frees_no_place"),
    60: ("test_decisions", "undecided_work_is_approved_by_its_time"),
    61: ("test_decisions", "too_little_money_changes_nothing"),
    62: ("test_bonuses", "with_a_token_a_bonus_is_paid_once"),
    63: ("test_bonuses", "a_bonus_needs_its_fee_too"),
    64: ("test_bonuses", "a_list_of_bonuses_needs_to_know_of_what"),
    65: ("test_worker_relations", "messages_reach_those_who_worked_for_the_requester"),
    66: ("test_worker_relations", "messages_have_limits"),
    67: ("test_qualifications", "a_name_is_taken_once_by_a_requester"),
    68: ("test_qualifications", "scores_are_given_changed_and_taken_away"),
    69: ("test_qualifications", "scores_are_given_changed_and_taken_away"),
    70: ("test_qualifications", "holders_are_listed_by_status_and_page"),
    71: ("test_notifications", "settings_need_a_specification_or_a_switch"),
    72: ("test_notifications", "a_test_event_comes_whatever_the_specification_asks_for"),
    73: ("test_notifications", "everything_that_happens_is_told_once"),
    74: ("test_delivery", "an_altered_message_is_refused"),
    75: ("test_worker_relations", "a_blocked_worker_is_refused_until_the_block_is_lifted"),
    76: (LIFE, "the_type_of_a_hit_can_change_and_its_reward_with_it"),
    77: ("test_faults", "a_fault_and_a_throttled_call_are_overcome_by_the_third_attempt"),
    78: (LIFE, "a_hit_is_disposed_of_120_days_after_it_became_reviewable"),
    79: ("test_eighty_cases", "every_operation_answers_in_its_documented_shape"),
    80: ("test_race", "nine_places_are_taken_by_exactly_nine_of_fifty"),
}


@pytest.mark.parametrize("case", range(1, 81))
def test_each_case_has_its_test(case):
    module, name = CASES[case]
    assert re.search(rf"^def test_{name}\(", next(HERE.rglob(f"{module}.py")).read_text("utf-8"), re.MULTILINE)


@pytest.mark.database
def test_a_hit_under_review_is_deleted_and_leaves_the_lists(lab, ann):
    hit = lab.hit()
    lab.client.approve_assignment(AssignmentId=ann.do(hit))
    lab.client.update_hit_review_status(HITId=hit["HITId"])
    lab.client.delete_hit(HITId=hit["HITId"])
    assert lab.look(hit)["HITStatus"] == "Disposed"
    for listed in (lab.client.list_hits(), lab.client.list_reviewable_hits(Status="Reviewing")):
        assert listed["HITs"] == []


def place(comparator: str, *names: str) -> dict:
    values = [dict(zip(("Country", "Subdivision"), name.split("-"), strict=False)) for name in names]
    return {"QualificationTypeId": "00000000000000000071", "Comparator": comparator, "LocaleValues": values}


@pytest.mark.database
@pytest.mark.parametrize(
    ("rows", "welcome"),
    [
        ([place("In", "US", "CA")], {"US", "US-CA", "US-FL", "CA"}),
        ([place("EqualTo", "US"), place("NotIn", "US-FL")], {"US", "US-CA"}),
        ([place("EqualTo", "US")], {"US", "US-CA", "US-FL"}),
    ],
)
def test_places_are_compared_as_the_guide_says(lab, sign_in, rows, welcome):
    hit = lab.hit(QualificationRequirements=rows, MaxAssignments=9)
    where = ("US", "US-CA", "US-FL", "CA", "DE")
    assert {name for name in where if sign_in(name, locale=name).accept(hit).status_code == 200} == welcome


@pytest.mark.database
def test_few_assignments_count_as_fully_approved(lab, ann):
    WorkerAccount.objects.update(submitted_count=40, approved_count=20, rejected_count=20)
    row = {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [95]}
    assert ann.accept(lab.hit(QualificationRequirements=[row])).status_code == 200


@pytest.mark.database
def test_every_operation_answers_in_its_documented_shape(lab, people):
    """The fixture `site` compares each result with the output shape of the service model."""
    ann, bob = people(2)
    called = {"GetFileUploadURL", "UpdateNotificationSettings", "SendTestEventNotification"}

    def call(operation: str, **given: object) -> dict:
        called.add(lab.client.meta.method_to_api_mapping[operation])
        return getattr(lab.client, operation)(**given)

    qualification = {"QualificationTypeId": make(lab)}
    called.add("CreateQualificationType")
    worker = {"WorkerId": ann.worker_id}
    for asking in (ann, bob):
        path = f"/hits/qualifications/{qualification['QualificationTypeId']}/"
        asking.post(path, f"{path}ask/")
    first, second = call("list_qualification_requests")["QualificationRequests"]
    call("accept_qualification_request", QualificationRequestId=first["QualificationRequestId"])
    call("reject_qualification_request", QualificationRequestId=second["QualificationRequestId"])
    call("associate_qualification_with_worker", **qualification, **worker)
    call("get_qualification_score", **qualification, **worker)
    call("list_workers_with_qualification_type", **qualification)
    call("get_qualification_type", **qualification)
    call("list_qualification_types", MustBeRequestable=True)
    call("update_qualification_type", **qualification, Description="new")
    type_id = call("create_hit_type", Title="t", Description="d", Reward="0.10", AssignmentDurationInSeconds=60)[
        "HITTypeId"
    ]
    made = {"LifetimeInSeconds": 60, "Question": html_question(), "MaxAssignments": 2}
    hit = call("create_hit_with_hit_type", HITTypeId=type_id, **made)["HIT"]
    called.add("CreateHIT")
    call("update_hit_type_of_hit", HITId=hit["HITId"], HITTypeId=lab.hit()["HITTypeId"])
    call("create_additional_assignments_for_hit", HITId=hit["HITId"], NumberOfAdditionalAssignments=1)
    approved, rejected = ({"AssignmentId": person.do(hit)} for person in (ann, bob))
    call("list_assignments_for_hit", HITId=hit["HITId"])
    call("approve_assignment", **approved)
    call("reject_assignment", **rejected, RequesterFeedback="no")
    call("get_assignment", **rejected)
    call("send_bonus", **approved, **worker, BonusAmount="1.00", Reason="r")
    call("list_bonus_payments", HITId=hit["HITId"])
    call("notify_workers", WorkerIds=[ann.worker_id, "ANOBODY"], Subject="s", MessageText="t")
    call("create_worker_block", **worker, Reason="r")
    call("list_worker_blocks")
    call("delete_worker_block", **worker)
    call("update_expiration_for_hit", HITId=hit["HITId"], ExpireAt=0)
    call("list_reviewable_hits")
    call("update_hit_review_status", HITId=hit["HITId"])
    call("list_review_policy_results_for_hit", HITId=hit["HITId"])
    call("get_hit", HITId=hit["HITId"])
    call("list_hits")
    call("list_hits_for_qualification_type", **qualification)
    call("delete_hit", HITId=hit["HITId"])
    call("disassociate_qualification_from_worker", **qualification, **worker)
    call("delete_qualification_type", **qualification)
    call("get_account_balance")
    assert called == set(OPERATIONS)
