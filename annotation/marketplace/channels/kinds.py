"""The kinds of channels, and what a new one has to say for itself.

link: one address for many. list: one link a person. team: the same for named colleagues. accounts: workers who are
registered at this site. rehearsal: simulated workers, who have accounts too. prolific: people whom Prolific sends and
pays (`annotation.marketplace.prolific`); they come by a link that knows them by their id there.

A kind is a small object in `KINDS`. To add a platform: write a module beside this one with an
object that has the four members of `Kind`, and name it in `KINDS`. Doors, consent, completion codes, withdrawal and
retention then work as they are; `notify` is where the platform is called, after the transaction, and may fail without
harm: everything it would tell can be read from the rows again.
"""

from __future__ import annotations

from typing import Protocol
from urllib.parse import quote

from annotation.marketplace.models import Link, Participant

LINK, LIST, TEAM, ACCOUNTS, REHEARSAL = "link", "list", "team", "accounts", "rehearsal"
PROLIFIC = "prolific"
# By which of its codes a study at Prolific learns that somebody did not agree, or came with an unsuitable device.
NO_CONSENT, DEVICE = "no-consent", "device"
# What a return address may hold; each is replaced by the value, escaped for an address.
CODE, EXTERNAL_ID = "{code}", "{external_id}"
# What panels add to an address beside a person's id: Prolific's names.
PANEL_IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
# Of these panels it is known that a study has one completion code, which they are told before anybody comes.
SHARED_CODE_HOSTS = ("prolific.com", "prolific.co")


class Kind(Protocol):
    """What differs between ways in."""

    @property
    def by_link(self) -> bool:
        """Whether people come by links of the channel; otherwise they have accounts already."""
        ...

    def id_parameters(self, link: Link) -> tuple[str, ...]:
        """Names of address parameters that carry the id by which the outside knows a person, the best first."""
        ...

    def way_back(self, link: Link, *, external_id: str, code: str) -> str:
        """Where a person who has finished is sent; "" for nowhere. Made of configured addresses only."""
        ...

    def notify(self, participant: Participant, *, what: str) -> None:
        """After a participant has `finished` or `withdrew`: tell the platform. What it raises is logged."""
        ...


class Links:
    """Links, one for many or one for each; ids and the way back as link and channel say."""

    by_link = True

    def id_parameters(self, link: Link) -> tuple[str, ...]:
        return tuple(link.id_parameters)

    def way_back(self, link: Link, *, external_id: str, code: str) -> str:
        address = (link.return_url or link.channel.return_url).replace(CODE, quote(code, safe=""))
        return address.replace(EXTERNAL_ID, quote(external_id, safe=""))

    def notify(self, participant: Participant, *, what: str) -> None:
        """Do nothing: no platform waits for it."""


class Accounts:
    """Everybody with an account at this site: no links, no ids of others."""

    by_link = False

    def id_parameters(self, link: Link) -> tuple[str, ...]:
        return ()

    def way_back(self, link: Link, *, external_id: str, code: str) -> str:
        return ""

    def notify(self, participant: Participant, *, what: str) -> None:
        """Do nothing: no platform waits for it."""


KINDS: dict[str, Kind] = {
    LINK: Links(),
    LIST: Links(),
    TEAM: Links(),
    PROLIFIC: Links(),
    ACCOUNTS: Accounts(),
    REHEARSAL: Accounts(),
}
# Kinds whose people are named beforehand: each has a link of their own, and nobody else comes in.
NAMED = frozenset({LIST, TEAM})
# Kinds that open HITs to registered accounts.
BY_ACCOUNT = frozenset({ACCOUNTS, REHEARSAL})
