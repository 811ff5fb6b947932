"""What a task holds a number of, in the words of the console."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

# By the `unit` of a task kind.
PER_TASK = {
    "text": _("Texts per task"),
    "pair": _("Pairs per task"),
    "context": _("Contexts per task"),
    "document": _("Documents per task"),
}
RATERS_OF = {
    "text": _("Raters per text"),
    "pair": _("Raters per pair"),
    "context": _("Raters per context"),
    "document": _("Raters per document"),
}
