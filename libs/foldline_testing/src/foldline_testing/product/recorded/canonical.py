"""JSON values as texts and hashes that are the same for equal values."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    """JSON whose text is the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def fingerprint(value: Any) -> str:
    """The beginning of the SHA-256 of a JSON value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]
