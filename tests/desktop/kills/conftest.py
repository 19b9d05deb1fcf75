"""What the tests that kill processes share."""

from __future__ import annotations

import pytest

from tests.killing import Nursery


@pytest.fixture(scope="module")
def nursery(request):
    """Brings up what the module names as its `VICTIMS`."""
    nursery = Nursery(request.module.VICTIMS)
    yield nursery
    nursery.close()
