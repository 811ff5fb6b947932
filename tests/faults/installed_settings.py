"""The settings of an installation whose proxy is left out: cookies travel over plain HTTP, and to the same names."""

from deploy.settings.production import *  # noqa: F403

SECURE_SSL_REDIRECT = False
SESSION_COOKIE_SECURE = False
CSRF_COOKIE_SECURE = False
# So that the marketplace can be asked to fail.
INSTALLED_APPS = [*INSTALLED_APPS, "annotation.marketplace.fault_injection"]  # noqa: F405
