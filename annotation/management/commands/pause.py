from annotation.management.commands._acts import ActCommand
from annotation.publishing.pause import Change, pause


class Command(ActCommand[Change]):
    help = "Pause a study: nobody new comes in; who is inside finishes and is paid."
    verb = staticmethod(pause)

    def told(self, found: Change) -> str:
        return f"Paused. {found.hits} HITs are offered to nobody new; `manage.py resume` offers them again."
