"""Look at a training as participants see it, before tasks exist: at an address that cannot be guessed."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.design.kinds import find_kind
from annotation.design.training_items import ARMS
from annotation.design.wording import from_json
from annotation.hits.render import Arm, ShownLine, ShownText, hit_page
from annotation.models import Study, StudyWording

_SEAL = signing.Signer(salt="annotation.training-page", sep=".")


def preview_address(wording: StudyWording, arm: str, *, machine_first: bool = False) -> str:
    """Where the task page with that training is served. machine_first: pairs begin with the machine's text."""
    token = _SEAL.sign(f"{wording.pk}-{arm}-{int(machine_first)}")
    return settings.HIT_ORIGIN + reverse("training-page", args=[token])


def preview_at(token: str) -> str | None:
    """The page that an address names: the training, then the first texts of the study. None where it names none."""
    try:
        pk, arm, machine_first = _SEAL.unsign(token).split("-")
    except (signing.BadSignature, ValueError):
        return None
    stored = StudyWording.objects.select_related("study").filter(pk=int(pk)).first()
    if stored is None or arm not in ARMS:
        return None
    return hit_page(
        from_json(stored.body),
        first_lines(stored.study),
        arm=cast(Arm, arm),
        shuffle=False,
        machine_first=machine_first == "1",
    )


def first_lines(study: Study) -> list[ShownLine]:
    """A task of the study's first texts; empty where it has none yet."""
    texts = list(study.texts.judged().filter(known_label="").select_related("context").order_by("pk")[:4])
    shown = [ShownText(text.body, text.context.body if text.context else "") for text in texts]
    kind = find_kind(study.task)
    if kind is not None and kind.keeps_contexts:
        first = texts[0].context_id if texts else None
        return [ShownLine(i, shown[i], group="1") for i in range(len(shown)) if texts[i].context_id == first]
    if kind is not None and kind.in_pairs:
        return [ShownLine(i, shown[2 * i], shown[2 * i + 1]) for i in range(len(shown) // 2)]
    return [ShownLine(i, text) for i, text in enumerate(shown[:2])]
