from annotation.management.commands._acts import ActCommand
from annotation.publishing.end import Ending, expire_now


class Command(ActCommand[Ending]):
    help = "Recruit nobody any more; who is inside finishes and is paid. `manage.py close` ends the study afterwards."
    verb = staticmethod(expire_now)

    def told(self, found: Ending) -> str:
        return (
            f"{found.hits} HITs end now; {found.dropped} effects that had not begun were dropped, "
            f"${found.released_cents / 100:,.2f} are no longer set aside."
        )
