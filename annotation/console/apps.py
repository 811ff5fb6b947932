from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "annotation.console"
    label = "console"
    verbose_name = "Console"
