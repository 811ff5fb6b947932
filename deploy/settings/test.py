"""Tests: as in development, with quick password hashing and files of their own."""

from deploy.settings.development import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
# Sweeps call as often as they can.
API_CALLS_A_MINUTE = 0
WHITENOISE_AUTOREFRESH = True
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # A file, not memory: socket tests serve from threads that each need a connection of their own.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}  # noqa: F405
    VAR.mkdir(exist_ok=True)  # noqa: F405
else:
    # The rows of a test need not survive a loss of power: a commit need not wait for the disk.
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"  # noqa: F405

# Tests may run as root, where Chromium has no sandbox.
CHROMIUM_NO_SANDBOX = True
