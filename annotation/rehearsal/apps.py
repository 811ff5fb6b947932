from django.apps import AppConfig


class RehearsalConfig(AppConfig):
    name = "annotation.rehearsal"
    label = "rehearsal"
    verbose_name = "Rehearsal"
