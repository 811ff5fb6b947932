"""One machine, no server to install: SQLite, the embedded work loop, the marketplace on loopback."""

from deploy.settings import environment as env
from deploy.settings.base import *  # noqa: F403

DEBUG = env.flag("DEBUG", False)
SECRET_KEY = env.text("SECRET_KEY", "development-only-key-that-protects-nothing-and-is-known-to-everybody")
PSEUDONYM_KEY_DERIVED = not env.text("PSEUDONYM_KEY", "")
PSEUDONYM_KEY = env.text("PSEUDONYM_KEY", "") or f"pseudonyms {SECRET_KEY}"
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
MARKETPLACE_DEVELOPMENT = True
INSTALLED_APPS = [*INSTALLED_APPS, "annotation.marketplace.fault_injection"]  # noqa: F405
MARKETPLACE_PUBLISH_UNFUNDED = env.flag("MARKETPLACE_PUBLISH_UNFUNDED", True)

# Style sheets and scripts straight from their folders: nothing to collect first.
WHITENOISE_USE_FINDERS = True
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405
