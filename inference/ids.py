"""What requests and jobs are told apart by."""

from __future__ import annotations

import os
from typing import NewType

RequestId = NewType("RequestId", str)
JobId = NewType("JobId", str)


def new_request_id() -> RequestId:
    """An id no other request has."""
    return RequestId(os.urandom(16).hex())


def new_job_id() -> JobId:
    """An id no other job has, and no request."""
    return JobId(os.urandom(16).hex())
