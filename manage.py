#!/usr/bin/env python
"""Django's command line for Assay."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")
    from deploy.embedded import run

    run(sys.argv)
