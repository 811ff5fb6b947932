"""The addresses of the worker site."""

from __future__ import annotations

from django.urls import path, register_converter

from annotation.marketplace.worker import doors, frames, pages, relations, submits, taking


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
    path("", pages.available, name="list"),
    path("sign-in/", doors.sign_in, name="sign-in"),
    path("enter/<str:token>/", doors.enter, name="enter"),
    path("sign-out/", doors.sign_out, name="sign-out"),
    path("messages/", relations.messages, name="messages"),
    path("qualifications/<public_id:type_id>/", relations.qualification, name="qualification"),
    path("qualifications/<public_id:type_id>/ask/", relations.ask, name="ask"),
    path("<public_id:hit_id>/", pages.preview, name="preview"),
    path("<public_id:hit_id>/accept/", pages.accept, name="accept"),
    path("work/<public_id:assignment_id>/", pages.work, name="work"),
    path("work/<public_id:assignment_id>/state/", pages.state, name="state"),
    path("work/<public_id:assignment_id>/return/", pages.give_back, name="return"),
    path("work/<public_id:assignment_id>/done/", pages.done, name="done"),
    path("tests/<public_id:attempt_id>/", taking.test, name="test"),
    path("frame/<public_id:hit_id>/<str:load>/<str:seal>/", frames.frame, name="frame"),
    path("frame/test/<public_id:attempt_id>/<str:load>/<str:seal>/", frames.test_frame, name="test-frame"),
    path("mturk/externalSubmit", submits.external_submit, name="submit"),
    path("s/<str:token>/mturk/externalSubmit", submits.external_submit, name="submit-for"),
    path("s/<str:token>/draft", submits.draft, name="draft"),
]
