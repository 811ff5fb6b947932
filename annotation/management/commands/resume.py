from annotation.management.commands._acts import ActCommand
from annotation.publishing.pause import Change, resume


class Command(ActCommand[Change]):
    help = "Resume a paused study: HITs that are not full are offered again."
    verb = staticmethod(resume)

    def told(self, found: Change) -> str:
        return f"Resumed. {found.hits} HITs are offered again."
