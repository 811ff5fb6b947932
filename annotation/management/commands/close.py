from annotation.management.commands._acts import ActCommand
from annotation.publishing.end import Ending, close


class Command(ActCommand[Ending]):
    help = "Close a study whose work is all decided: its HITs are deleted on the marketplace, everything here stays."
    verb = staticmethod(close)

    def told(self, found: Ending) -> str:
        return f"Closed. {found.hits} HITs; ${found.released_cents / 100:,.2f} are no longer set aside."
