"""The WSGI application that servers load."""

import os

from django.core.wsgi import get_wsgi_application

from deploy.settings.environment import SETTINGS_CHOSEN, installation_file

# The package has chosen those of development, for commands, before this line.
if not SETTINGS_CHOSEN and not installation_file().is_file():
    os.environ["DJANGO_SETTINGS_MODULE"] = "deploy.settings.production"

application = get_wsgi_application()
