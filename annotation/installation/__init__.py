"""An installation as a whole: backups, restoring, and what a machine lacks. Its verbs are for operators' commands."""
