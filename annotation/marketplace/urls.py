"""The addresses of the worker site."""

from __future__ import annotations

from django.urls import path, register_converter

from annotation.marketplace.site import (
    accept,
    account,
    earnings,
    frames,
    groups,
    history,
    host_guards,
    invitations,
    languages,
    other_device,
    pages,
    prolific_hook,
    qualification_list,
    qualifications,
    rejection_replies,
    requester_records,
    sign_in,
    studies,
    submit,
    way,
)


class PublicId:
    """An id of a HIT or an assignment."""

    regex = "3[A-Z0-9]{29}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(PublicId, "public_id")

app_name = "hits"
urlpatterns = [
    # The steps of a task come first: patterns are tried in order.
    path("<public_id:hit_id>/accept/", pages.accept, name="accept"),
    path("work/<public_id:assignment_id>/", pages.work, name="work"),
    path("frame/<public_id:hit_id>/<str:load>/<str:seal>/", frames.frame, name="frame"),
    path("s/<str:token>/mturk/externalSubmit", submit.external_submit, name="submit-for"),
    path("s/<str:token>/draft", submit.draft, name="draft"),
    path("", groups.available, name="list"),
    path("groups/<public_id:group_id>/", groups.group, name="group"),
    path("groups/<public_id:group_id>/accept/", groups.accept_next, name="accept-next"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/link/", sign_in.ask_link, name="ask-link"),
    path("forgotten/", sign_in.forgotten, name="forgotten"),
    path("reset/<str:token>/", sign_in.reset, name="reset"),
    path("register/", sign_in.register, name="register"),
    path("register/<str:token>/", sign_in.finish, name="finish"),
    path("terms/", sign_in.terms, name="terms"),
    path("language/", languages.language, name="language"),
    path("welcome/", groups.welcome, name="welcome"),
    path("account/", account.account, name="account"),
    path("account/password/", account.password, name="password"),
    path("account/address/", account.address, name="address"),
    path("account/address/<str:token>/", account.take_address, name="take-address"),
    path("account/sign-out-everywhere/", account.sign_out_everywhere, name="sign-out-everywhere"),
    path("account/delete/", account.close, name="close"),
    path("gone/", account.account_deleted, name="gone"),
    path("history/", history.history, name="history"),
    path("history/download/", history.download, name="download"),
    path("earnings/", earnings.earnings, name="earnings"),
    path("qualifications/", qualification_list.held, name="qualifications"),
    path("requesters/", requester_records.about_records, name="requester-records"),
    path("enter/<str:token>/", host_guards.enter, name="enter"),
    path("sign-out/", host_guards.sign_out, name="sign-out"),
    path("in/device/<str:token>/", other_device.resume, name="resume"),
    path("in/", invitations.empty_link, name="empty-link"),
    path("in/<str:token>/", invitations.invitation, name="door"),
    path("in/<str:token>/begin/", invitations.begin, name="begin"),
    path("in/<str:token>/another/", invitations.start_as_another, name="start-as-another"),
    path("in/<str:token>/decline/", invitations.decline, name="decline"),
    path("consent/<public_id:hit_id>/", invitations.agree, name="consent"),
    path("end/", invitations.end, name="end"),
    path("end/back/", invitations.way_back, name="way-back"),
    path("device/", other_device.other_device, name="other-device"),
    path("continue-study/", other_device.continue_study, name="continue-study"),
    path("start/", way.start, name="start"),
    path("stop/", way.stop, name="stop"),
    path("your-data/", invitations.data, name="data"),
    path("withdraw/", invitations.withdraw, name="withdraw"),
    path("messages/", qualifications.messages, name="messages"),
    path("qualifications/<public_id:type_id>/", qualifications.qualification, name="qualification"),
    path("qualifications/<public_id:type_id>/ask/", qualifications.ask, name="ask"),
    path("<public_id:hit_id>/", pages.preview, name="preview"),
    path("work/<public_id:assignment_id>/pay/", studies.your_pay, name="your-pay"),
    path("work/<public_id:assignment_id>/state/", pages.state, name="state"),
    path("work/<public_id:assignment_id>/return/", pages.return_task, name="return"),
    path("work/<public_id:assignment_id>/answer/", rejection_replies.answer, name="answer"),
    path("work/<public_id:assignment_id>/done/", pages.done, name="done"),
    path("tests/<public_id:attempt_id>/", accept.test, name="test"),
    path("frame/test/<public_id:attempt_id>/<str:load>/<str:seal>/", frames.test_frame, name="test-frame"),
    path("prolific/<str:token>/", prolific_hook.prolific_hook, name="prolific-hook"),
    path("mturk/externalSubmit", submit.external_submit, name="submit"),
]
