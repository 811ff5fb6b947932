"""Where workers say that they live, which requirements on Worker_Locale compare: stated by themselves, changed rarely.

Every statement is kept (`CountryStatement`), so that an operator sees who moves about, and one holds for half a year.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.db import transaction

from annotation.marketplace.models import CountryStatement, WorkerAccount

REST = timedelta(days=182)
# ISO 3166-1 alpha-2.
_WRITTEN = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
    BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
    ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
    HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
    LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
    NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
    SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
    UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
CODES = frozenset(_WRITTEN.split())
_PLACE = re.compile("([A-Z]{2})(?:-([A-Z]{2}))?")


class TooSoonError(Exception):
    """The country cannot be changed before `until`; never by the worker where that is None: an operator stated it."""

    def __init__(self, until: datetime | None) -> None:
        super().__init__(until)
        self.until = until


def place_of(words: str) -> tuple[str, str] | None:
    """Country and state from DE, US or US-CA, in letters of any case; None when that is no place."""
    match = _PLACE.fullmatch(words.strip().upper())
    if match is None or match[1] not in CODES or (match[2] and match[1] != "US"):
        return None
    return match[1], match[2] or ""


def stated_place(worker: WorkerAccount) -> str:
    """The stated place, as `place_of` reads it; "" where none is known."""
    return "-".join(filter(None, (worker.country, worker.subdivision)))


@transaction.atomic
def state(worker: WorkerAccount, country: str, subdivision: str, *, now: datetime) -> None:
    """Keep where `worker` says to live (real time); saying the same again changes nothing. Raises TooSoonError."""
    locked = WorkerAccount.objects.select_for_update(no_key=True).get(pk=worker.pk)
    before, after = stated_place(locked), "-".join(filter(None, (country, subdivision)))
    if before == after:
        return
    last = CountryStatement.objects.filter(worker=locked).order_by("-pk").first()
    if before and last is None:
        raise TooSoonError(None)
    if last is not None and last.stated_at + REST > now:
        raise TooSoonError(last.stated_at + REST)
    CountryStatement.objects.create(worker=locked, before=before, after=after, stated_at=now)
    locked.country, locked.subdivision = country, subdivision
    locked.save(update_fields=["country", "subdivision"])
