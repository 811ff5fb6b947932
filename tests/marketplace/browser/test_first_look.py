"""The list of tasks in a real browser."""

from __future__ import annotations

import pytest

from tests.browsing import faults
from tests.marketplace.browser.people import press, sideways

pytestmark = pytest.mark.database


def test_the_list_and_a_preview_have_no_faults(lab, visitor, look):
    lab.hit(Title="Rate a text")
    page = visitor("ann", look)
    assert page.get_by_role("link", name="Rate a text").is_visible()
    assert (faults(page), sideways(page)) == ([], 0)
    press(page, "Rate a text")
    # The task itself is its requester's.
    assert (faults(page), sideways(page)) == ([], 0)
