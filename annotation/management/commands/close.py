from annotation.management.commands._acts import ActCommand
from annotation.publishing.end import Ending, close


class Command(ActCommand[Ending]):
    help = "Close a study when every submission is decided. Its HITs are deleted on the marketplace; its data stay."
    verb = staticmethod(close)

    def told(self, found: Ending) -> str:
        return f"Closed. {found.hits} HITs; ${found.released_cents / 100:,.2f} are no longer reserved."
