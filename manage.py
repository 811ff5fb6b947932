#!/usr/bin/env python
"""Django's command line for Assay."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")
    from django.core.management import execute_from_command_line

    from deploy.embedded import prepare

    execute_from_command_line(prepare(sys.argv))
