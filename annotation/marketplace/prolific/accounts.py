"""The connected account: token, workspace and project."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from annotation.accounts.vault import UnreadableSecretError, seal, unseal
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import ProlificAccount, ProlificStudy, Requester
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.records import WorkspaceRecord

NOT_AUTHORISED = frozenset({401, 403})
SHOWN_CHARACTERS = 4
LONGEST_TOKEN = 500


@dataclass(frozen=True)
class Connection:
    """What is stored of an account (None: nothing), and its workspaces as Prolific answers now."""

    account: ProlificAccount | None
    workspaces: list[WorkspaceRecord] = field(default_factory=list)

    @property
    def chosen(self) -> WorkspaceRecord | None:
        """The workspace in which studies are created."""
        key = self.account.workspace_id if self.account else ""
        return next((row for row in self.workspaces if row.workspace_id == key), None)


def connect(requester: Requester, token: str, *, now: datetime) -> Connection:
    """Store `token` encrypted, if Prolific knows it. Raises InvalidParameterError, RequestRefusedError.

    Of an account with one workspace that, and of a workspace its first project, is chosen at once.
    """
    token = token.strip()
    if not token or len(token) > LONGEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidParameterError("Enter the token as Prolific shows it: letters and digits in one line.").at("Token")
    try:
        with Client(token) as client:
            known, workspaces = client.get_account(), client.list_workspaces()
    except ProlificError as error:
        if error.status in NOT_AUTHORISED:
            problem = "Prolific does not accept this token. Create a new one in your Prolific settings."
            raise InvalidParameterError(problem).at("Token") from None
        raise refusal_of(error) from None
    account, _ = ProlificAccount.objects.get_or_create(requester=requester, defaults={"connected_at": now})
    account.token_sealed, account.token_end = seal(token), token[-SHOWN_CHARACTERS:]
    account.email, account.currency, account.connected_at = known.email, known.currency, now
    _choose_first(account, workspaces)
    account.save()
    return Connection(account, workspaces)


def _choose_first(account: ProlificAccount, workspaces: list[WorkspaceRecord]) -> None:
    """Leave a choice that the account has; otherwise choose its first workspace and project."""
    chosen = next((row for row in workspaces if row.workspace_id == account.workspace_id), None)
    if chosen is None and workspaces:
        chosen, account.project_id = workspaces[0], ""
    account.workspace_id = chosen.workspace_id if chosen else ""
    projects = [project for project, _ in chosen.projects] if chosen else []
    if account.project_id not in projects:
        account.project_id = projects[0] if projects else ""
    account.currency = (chosen.currency if chosen else "") or account.currency


@transaction.atomic
def disconnect(requester: Requester) -> Connection:
    """Delete the token. Raises RequestRefusedError while a study at Prolific is not over: it could not be followed."""
    account = ProlificAccount.objects.select_for_update().filter(requester=requester).first()
    if account is None:
        return Connection(None)
    running = ProlificStudy.objects.filter(channel__requester=requester).exclude(state=ProlificStudy.State.DRAFT)
    if names := [str(study.channel) for study in running.exclude(status="COMPLETED").select_related("channel")[:3]]:
        problem = f"Studies at Prolific are not finished: {', '.join(names)}. Stop and review them first."
        raise RequestRefusedError("ProlificInUse", problem)
    account.token_sealed = account.token_end = account.hook_secret_sealed = ""
    account.save(update_fields=["token_sealed", "token_end", "hook_secret_sealed"])
    return Connection(account)


def read_connection(requester: Requester) -> Connection:
    """The account with its workspaces as they are now. Raises RequestRefusedError where Prolific does not answer."""
    account = ProlificAccount.objects.filter(requester=requester).first()
    if account is None or not account.token_sealed:
        return Connection(account)
    with open_client(account) as client:
        try:
            return Connection(account, client.list_workspaces())
        except ProlificError as error:
            raise refusal_of(error) from None


def choose_project(requester: Requester, workspace_id: str, project_id: str) -> Connection:
    """Create further studies in this project. Raises InvalidParameterError, RequestRefusedError."""
    connection = read_connection(requester)
    account = connected(requester)
    workspace = next((row for row in connection.workspaces if row.workspace_id == workspace_id), None)
    if workspace is None:
        raise InvalidParameterError("The account has no such workspace.").at("WorkspaceId")
    if project_id not in [project for project, _ in workspace.projects]:
        raise InvalidParameterError("The workspace has no such project.").at("ProjectId")
    account.workspace_id, account.project_id = workspace_id, project_id
    account.currency = workspace.currency or account.currency
    account.save(update_fields=["workspace_id", "project_id", "currency"])
    return Connection(account, connection.workspaces)


def connected(requester: Requester) -> ProlificAccount:
    """The account. Raises RequestRefusedError where none is connected."""
    account = ProlificAccount.objects.filter(requester=requester).exclude(token_sealed="").first()
    if account is None:
        raise RequestRefusedError("ProlificNotConnected", "No Prolific account is connected. Connect one first.")
    return account


def open_client(account: ProlificAccount) -> Client:
    """A client with the account's token. Raises RequestRefusedError where it cannot be decrypted."""
    try:
        return Client(unseal(account.token_sealed))
    except UnreadableSecretError:
        problem = "The Prolific token was stored under another SECRET_KEY. Connect the account again."
        raise RequestRefusedError("ProlificNotConnected", problem) from None


def refusal_of(error: ProlificError) -> RequestRefusedError:
    """A failed call as the answer to the operation that made it."""
    return RequestRefusedError("ProlificNotAvailable" if error.later else "ProlificRefused", str(error))
