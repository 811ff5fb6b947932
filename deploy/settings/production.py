"""Behind a proxy that speaks HTTPS: SECRET_KEY, PSEUDONYM_KEY, ALLOWED_HOSTS and DATABASE_URL must be thought of."""

from deploy.settings import environment as env
from deploy.settings.base import *  # noqa: F403

DEBUG = False
SECRET_KEY = env.text("SECRET_KEY")
# By its hashes workers' ids are looked up: a key of its own, so that SECRET_KEY can change alone.
PSEUDONYM_KEY = env.text("PSEUDONYM_KEY")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
# What a worker was told to be recorded is on the disk.
DATABASES = {"default": env.database("DATABASE_URL", f"sqlite:///{VAR / 'assay.sqlite3'}", synchronous="FULL")}  # noqa: F405

WORKER_ORIGIN = env.origin("WORKER_ORIGIN", f"https://{ALLOWED_HOSTS[0].lstrip('.')}")
CONSOLE_ORIGIN = env.origin("CONSOLE_ORIGIN", WORKER_ORIGIN)
HIT_ORIGIN = env.origin("HIT_ORIGIN", f"https://{ALLOWED_HOSTS[-1].lstrip('.')}")
MTURK_ENDPOINT_URL = env.text("MTURK_ENDPOINT_URL", f"{WORKER_ORIGIN}/mturk/")
CSRF_TRUSTED_ORIGINS = sorted({WORKER_ORIGIN, CONSOLE_ORIGIN})

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", True)
# Probes inside the house come by plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
SECURE_HSTS_SECONDS = env.whole_number("SECURE_HSTS_SECONDS", 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
LANGUAGE_COOKIE_SECURE = True
# A dictionary of its own: base's, changed in place, would change for whoever reads both in one process.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}  # noqa: F405
# Without a mail server no registration could be finished.
WORKER_REGISTRATION = env.flag("WORKER_REGISTRATION", bool(EMAIL_HOST))  # noqa: F405
