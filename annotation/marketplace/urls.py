"""The addresses of the worker site."""

from __future__ import annotations

from django.urls import path, register_converter

from annotation.marketplace.site import accept as taking
from annotation.marketplace.site import account, earnings, frames, groups, history, languages, pages
from annotation.marketplace.site import host_guards as doors
from annotation.marketplace.site import invitations as channels
from annotation.marketplace.site import qualification_list as skills
from annotation.marketplace.site import qualifications as relations
from annotation.marketplace.site import rejection_replies as replying
from annotation.marketplace.site import sign_in as entrance
from annotation.marketplace.site import submit as submits


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
    path("s/<str:token>/mturk/externalSubmit", submits.external_submit, name="submit-for"),
    path("s/<str:token>/draft", submits.draft, name="draft"),
    path("", groups.available, name="list"),
    path("groups/<public_id:group_id>/", groups.group, name="group"),
    path("groups/<public_id:group_id>/accept/", groups.accept_next, name="accept-next"),
    path("sign-in/", entrance.sign_in, name="sign-in"),
    path("sign-in/link/", entrance.ask_link, name="ask-link"),
    path("forgotten/", entrance.forgotten, name="forgotten"),
    path("reset/<str:token>/", entrance.reset, name="reset"),
    path("register/", entrance.register, name="register"),
    path("register/<str:token>/", entrance.finish, name="finish"),
    path("terms/", entrance.terms, name="terms"),
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
    path("qualifications/", skills.held, name="qualifications"),
    path("enter/<str:token>/", doors.enter, name="enter"),
    path("sign-out/", doors.sign_out, name="sign-out"),
    path("in/<str:token>/", channels.invitation, name="door"),
    path("in/<str:token>/begin/", channels.begin, name="begin"),
    path("in/<str:token>/decline/", channels.decline, name="decline"),
    path("consent/<public_id:hit_id>/", channels.agree, name="consent"),
    path("end/", channels.end, name="end"),
    path("end/back/", channels.way_back, name="way-back"),
    path("stop/", channels.stop, name="stop"),
    path("your-data/", channels.data, name="data"),
    path("withdraw/", channels.withdraw, name="withdraw"),
    path("messages/", relations.messages, name="messages"),
    path("qualifications/<public_id:type_id>/", relations.qualification, name="qualification"),
    path("qualifications/<public_id:type_id>/ask/", relations.ask, name="ask"),
    path("<public_id:hit_id>/", pages.preview, name="preview"),
    path("work/<public_id:assignment_id>/state/", pages.state, name="state"),
    path("work/<public_id:assignment_id>/return/", pages.give_back, name="return"),
    path("work/<public_id:assignment_id>/answer/", replying.answer, name="answer"),
    path("work/<public_id:assignment_id>/done/", pages.done, name="done"),
    path("tests/<public_id:attempt_id>/", taking.test, name="test"),
    path("frame/test/<public_id:attempt_id>/<str:load>/<str:seal>/", frames.test_frame, name="test-frame"),
    path("mturk/externalSubmit", submits.external_submit, name="submit"),
]
