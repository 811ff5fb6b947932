"""What every way of running Assay shares."""

from __future__ import annotations

import sys
from pathlib import Path

from csp.constants import NONE, SELF

from annotation.common.upload_limits import MIB, SUBMISSION_MIB
from deploy.settings import environment as env

ROOT = env.ROOT
# Where everything lies that a running installation writes: the database of one machine, uploads, reports, logs.
VAR = Path(env.text("ASSAY_VAR", str(ROOT / "var")))
# How a program starts a command of its own installation.
MANAGE = [sys.executable, *(["-m", f"{env.PACKAGE}manage"] if env.PACKAGE else [str(ROOT / "manage.py")])]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "annotation.accounts",
    "annotation.apps.AnnotationConfig",
    "annotation.console",
    "annotation.marketplace",
    "annotation.rehearsal",
]

MIDDLEWARE = [
    "deploy.logs.number_requests",
    "deploy.postgresql.request_patience.limit_lock_waits",
    "annotation.marketplace.monitoring.metrics.count_requests",
    "django.middleware.security.SecurityMiddleware",
    "deploy.programs.requester_api_first",
    "deploy.addresses.without_nul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "deploy.hosts.console_on_separate_host",
    "deploy.console.Sessions",
    "deploy.console.Languages",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "deploy.console.Authentication",
    "annotation.accounts.sessions.follow_sessions",
    "annotation.accounts.factor_codes.ask_second_factor",
    "deploy.console.Messages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "deploy.console.dead_ends",
]
CSRF_FAILURE_VIEW = "deploy.console.forged"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "hit_templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

ROOT_URLCONF = "deploy.urls"
WSGI_APPLICATION = "deploy.wsgi.application"
# Prints PDFs and pictures of reports; without it only these fail.
CHROMIUM = env.text("CHROMIUM", "")
# Chromium cannot build its sandbox as root or in most containers; say so here if it must run without.
CHROMIUM_NO_SANDBOX = env.flag("CHROMIUM_NO_SANDBOX", False)
# The revision of the platform, for reports; empty: as the repository says.
ASSAY_COMMIT = env.text("ASSAY_COMMIT", "")

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

DATABASES = {"default": env.database("DATABASE_URL", f"sqlite:///{VAR / 'assay.sqlite3'}")}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "console/locked.html"
AXES_CLIENT_IP_CALLABLE = "annotation.accounts.addresses.client_address"
# How many trusted proxies are in front and add to X-Forwarded-For; 0: the header is not believed.
TRUSTED_PROXIES = env.whole_number("TRUSTED_PROXIES", 0)

LANGUAGE_CODE = "en"
# Only what pages are translated to: a page must not call itself by a language that it does not speak.
LANGUAGES = [(code, code) for code in env.words("LANGUAGES", ["en", "de", "es"])]
# Before those of other applications, which translate the same words in their own way.
LOCALE_PATHS = [ROOT / "annotation" / "marketplace" / "locale"]
# Without script, times are written as the script of pages writes them.
FORMAT_MODULE_PATH = ["annotation.marketplace.core.formats"]
LANGUAGE_COOKIE_NAME = "assay_language"
LANGUAGE_COOKIE_PATH = "/hits/"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_TZ = True
# The documentation site that the console shows as help; `make docs` builds it.
HELP_FOLDER = Path(env.text("HELP_FOLDER", str(ROOT / "build" / "site")))
STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
# Uploads and jobs' files: below VAR, or, where several machines share them, in a bucket of an S3-compatible store.
FILES_BUCKET = env.text("FILES_BUCKET", "")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": env.bucket(FILES_BUCKET) or {"BACKEND": "django.core.files.storage.FileSystemStorage"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
# Sessions of the console and the administration; the worker site has its own.
SESSION_COOKIE_NAME = "assay_console"
SESSION_COOKIE_AGE = env.whole_number("CONSOLE_SESSION_HOURS", 7 * 24, minimum=1) * 3600
# How often a token may call the web API in a minute; 0: as often as it wants.
API_CALLS_A_MINUTE = env.whole_number("API_CALLS_A_MINUTE", 600)
# Whether owners of the installation are let in with a second factor only; everybody may have one.
SECOND_FACTOR_FOR_OWNERS = env.flag("SECOND_FACTOR_FOR_OWNERS", False)
# Sign-in through an OpenID Connect provider beside passwords and links; none where there is no issuer.
OIDC_ISSUER = env.issuer("OIDC_ISSUER")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET", "")
# What the provider is called on the button.
OIDC_NAME = env.text("OIDC_NAME", "your institution")
# Whoever has a verified mail address of these domains gets a new account, without a role; none: only known accounts.
OIDC_DOMAINS = [domain.lower() for domain in env.words("OIDC_DOMAINS", [])]
# Which claim of the provider names a person's groups, what it must be asked for, and the roles that groups give.
OIDC_SCOPES = env.words("OIDC_SCOPES", ["openid", "email", "profile"])
OIDC_GROUPS_CLAIM = env.text("OIDC_GROUPS_CLAIM", "groups")
OIDC_ROLES = env.roles_of_groups("OIDC_ROLES")
LOGIN_URL = "console:sign-in"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True

# Without files; the wire of the marketplace checks its own, smaller limits.
DATA_UPLOAD_MAX_MEMORY_SIZE = SUBMISSION_MIB * MIB

# Mail to workers; without a mail server it is written to the terminal, where the one who runs this can read it.
EMAIL_HOST = env.text("EMAIL_HOST", "")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env.whole_number("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", True)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "assay@localhost")

CELERY_BROKER_URL = env.broker("CELERY_BROKER_URL")
# Calls of marketplaces, reading answers and reading files have queues of their own, so that none waits for another.
# Scoring has one, too: its workers hold a language model in memory (`celery -A deploy worker -Q scoring`).
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"celery": {}, "market": {}, "computing": {}, "files": {}}
CELERY_TASK_ROUTES = {
    "annotation.work": {"queue": "market"},
    "annotation.poll": {"queue": "market"},
    "annotation.probe": {"queue": "market"},
    "annotation.read": {"queue": "computing"},
    "annotation.jobs": {"queue": "computing"},
    "annotation.files": {"queue": "files"},
    "annotation.score": {"queue": "scoring"},
}
# The scheduler (`celery -A deploy beat`) has running studies looked after, open jobs taken up again and the house kept;
# who comes too late for his turn leaves it.
POLL_SECONDS = env.whole_number("POLL_SECONDS", 60, minimum=1)
CELERY_BEAT_SCHEDULE = {
    name: {"task": f"annotation.{name}", "schedule": POLL_SECONDS, "options": {"expires": POLL_SECONDS}}
    for name in ("poll_all", "jobs", "files", "keep_house", "prolific")
}
# One query, and a call where a marketplace was away when it was last called.
PROBE_SECONDS = 5
CELERY_BEAT_SCHEDULE["probe"] = {
    "task": "annotation.probe",
    "schedule": PROBE_SECONDS,
    "options": {"expires": PROBE_SECONDS},
}
# Queues of the marketplace that the doctor and the operator's page show: the requester side does not import it.
QUEUES_OF_THE_MARKETPLACE = ["annotation.marketplace.monitoring.backlog.undelivered"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker that took an effect and has said nothing for so long is taken for dead, and another takes it.
INTENT_LEASE_SECONDS = env.whole_number("INTENT_LEASE_SECONDS", 600, minimum=1)
# A scoring worker that has kept nothing for so long is taken for dead, and its chunk is given to another.
SCORING_LEASE_SECONDS = env.whole_number("SCORING_LEASE_SECONDS", 600, minimum=1)

# A job (reading a file, a report, creating HITs) that takes longer is ended and noted as failed.
JOB_SECONDS = env.whole_number("JOB_SECONDS", 3600, minimum=1)
# A job that takes so much memory more than its process has already is ended, too; not those of language models.
JOB_MB = env.whole_number("JOB_MB", 4096, minimum=256)

# Three hosts: requester HTML (HIT_ORIGIN) never shares an origin with anybody's session.
# Commands beside `serve --port N` reach the port that it serves; not those of tests, which choose their settings.
SERVED_PORT = None if env.SETTINGS_CHOSEN else VAR / "served-port"
_PORT = env.served_port(SERVED_PORT)
WORKER_ORIGIN = env.origin("WORKER_ORIGIN", f"http://127.0.0.1:{_PORT}")
HIT_ORIGIN = env.origin("HIT_ORIGIN", f"http://localhost:{_PORT}")
CONSOLE_ORIGIN = env.origin("CONSOLE_ORIGIN", f"http://127.0.0.1:{_PORT}")
# Those not set: on this machine they follow the port that is served.
DEFAULT_ORIGINS = [name for name in ("WORKER_ORIGIN", "HIT_ORIGIN", "CONSOLE_ORIGIN") if not env.text(name, "")]

# The Requester API that studies are published to: our own marketplace unless another is named.
MTURK_ENDPOINT_URL = env.text("MTURK_ENDPOINT_URL", f"{WORKER_ORIGIN}/mturk/")
# Fees of Assay's marketplace: none, or mturk (its last price list); and of the marketplace that studies are published
# to: the same if that is Assay's, else MTurk's list unless set otherwise.
MARKETPLACE_FEES = env.chosen("MARKETPLACE_FEES", "none", ("none", "mturk"))
MTURK_FEES = env.chosen(
    "MTURK_FEES", "mturk" if env.text("MTURK_ENDPOINT_URL", "") else MARKETPLACE_FEES, ("none", "mturk")
)
# A rehearsal sets it for its own process, so that its report can be made again; of people, pseudonyms are drawn.
PSEUDONYM_SEED = ""
MTURK_REGION = env.text("MTURK_REGION", "us-east-1")
MTURK_ACCESS_KEY = env.text("MTURK_ACCESS_KEY", "")
MTURK_SECRET_KEY = env.text("MTURK_SECRET_KEY", "")
# The queue (its URL) to which the marketplace sends events; empty: studies are polled, with the same result.
MTURK_QUEUE_URL = env.text("MTURK_QUEUE_URL", "")
# The topic (its ARN) under which the marketplace posts signed messages to CONSOLE_ORIGIN/notices/; empty: none is
# believed. If a queue is set too, events of HITs go to the queue.
MTURK_TOPIC_ARN = env.text("MTURK_TOPIC_ARN", "")
# How often all processes together call at most; marketplaces throttle accounts. 0: as fast as it answers.
MTURK_CALLS_A_SECOND = env.whole_number("MTURK_CALLS_A_SECOND", 0)

# Whether our marketplace is asked which work came from one device (F23; workers read so), and how long that is kept.
NOTE_DEVICES = env.flag("NOTE_DEVICES", True)
DEVICE_DAYS = env.whole_number("DEVICE_DAYS", 90, minimum=1)
# The folder of the causal language model by which pages look for machine-written explanations (F21); empty: none.
DETECTOR_MODEL = env.text("DETECTOR_MODEL", "")
# Language models that pages offer for scoring, beside assay-tiny: NAME=FOLDER or NAME=URL#MODEL-NAME-THERE, separated
# by commas. No form takes a folder or a URL.
SCORING_MODELS = env.text("SCORING_MODELS", "")
# Files that were uploaded and never gone on with are deleted after this many days (by the work loop).
UPLOADS_DAYS = env.whole_number("UPLOADS_DAYS", 7, minimum=1)

# Development aids of the marketplace (movable clock, http ExternalQuestions on loopback); never in production.
MARKETPLACE_DEVELOPMENT = False
# Whether HITs may be published that the requester's balance does not cover; real workers should not meet such.
MARKETPLACE_PUBLISH_UNFUNDED = env.flag("MARKETPLACE_PUBLISH_UNFUNDED", False)
# Sent events and logged sign-ins are deleted after this many days.
MARKETPLACE_EVENT_LOG_DAYS = env.whole_number("MARKETPLACE_EVENT_LOG_DAYS", 90, minimum=1)

# Whether people may register worker accounts (by mail); otherwise they come by links.
WORKER_REGISTRATION = env.flag("WORKER_REGISTRATION", True)
# Stored with each acceptance; change it when marketplace/terms_text.html is changed.
WORKER_TERMS_VERSION = env.text("WORKER_TERMS_VERSION", "2026-11-23")
# Whether requesters can see which submissions came from one device (a keyed code), and how long that is stored.
DEVICE_CODES = env.flag("DEVICE_CODES", True)
DEVICE_CODE_DAYS = env.whole_number("DEVICE_CODE_DAYS", 30, minimum=1)
# Who runs this site: an address that pages and terms name. Empty: none is named.
SITE_CONTACT = env.text("SITE_CONTACT", "")
# What a monitor must show to read /metrics (Authorization: Bearer ...); empty: it answers on this machine only.
METRICS_TOKEN = env.text("METRICS_TOKEN", "")
# Prolific: where its API is, how often studies there are read, and for how long an interrupted step is not repeated.
PROLIFIC_API_URL = env.text("PROLIFIC_API_URL", "https://api.prolific.com")
# Whether Prolific is asked to send hooks here; it sends them to public https addresses only.
PROLIFIC_HOOKS = env.flag("PROLIFIC_HOOKS", WORKER_ORIGIN.startswith("https://"))
PROLIFIC_POLL_SECONDS = env.whole_number("PROLIFIC_POLL_SECONDS", 60)
PROLIFIC_LEASE_SECONDS = env.whole_number("PROLIFIC_LEASE_SECONDS", 300)
# Who has finished and not come back to Prolific after this time is completed from here.
PROLIFIC_COMPLETE_SECONDS = env.whole_number("PROLIFIC_COMPLETE_SECONDS", 180)
# How notifications are signed: 2 is SHA-256; 1 is SHA-1, for receivers that know nothing else.
MARKETPLACE_SIGNATURE_VERSION = env.chosen("MARKETPLACE_SIGNATURE_VERSION", "2", ("2", "1"))
# How long notifications that were delivered or given up stay; those under way live for a day at most.
MARKETPLACE_NOTICES_DAYS = env.whole_number("MARKETPLACE_NOTICES_DAYS", 30, minimum=2)

# "json": lines for programs that collect logs, with the number of the request and of the account.
LOG_FORMAT = env.chosen("LOG_FORMAT", "plain", ("plain", "json"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "deploy.logs.JsonLines"},
    },
    "filters": {
        "wire": {"()": "annotation.marketplace.aws_protocol.logs.WireRefusals"},
        "tokens": {"()": "annotation.marketplace.invitations.log_filter.WithoutTokens"},
    },
    "loggers": {
        "django.request": {"filters": ["wire", "tokens"]},
        "django.security.csrf": {"filters": ["tokens"]},
        # The development server's line for each request.
        "django.server": {"filters": ["tokens"], "handlers": ["stderr"], "level": "INFO", "propagate": False},
        # It warns of every request that waits for a thread, which is the ordinary state of a busy server.
        "waitress.queue": {"level": "ERROR"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "WARNING")},
}
