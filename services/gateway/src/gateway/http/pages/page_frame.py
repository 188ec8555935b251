"""The documents in whose frames agents' pages run and diagrams are drawn: what browsers are told of them."""

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

DOCUMENTS = ("page-frame.html", "diagram-frame.html")
"""One file each, with its script and styles in it (services/ui/vite.frame.config.ts)."""

_SCRIPT = re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL)


def headers(document: Path) -> dict[str, str]:
    """The headers of the frame's document, which stand in for those of every other answer."""
    return {
        "Content-Security-Policy": _policy(document, document.stat().st_mtime_ns),
        "X-Frame-Options": "SAMEORIGIN",
        "X-DNS-Prefetch-Control": "off",
        "Cache-Control": "no-cache",
    }


@lru_cache(maxsize=4)
def _policy(document: Path, changed: int) -> str:
    """What code in the frame may do: run, draw, and nothing else.

    It runs the one script that was built, by its hash, which makes code of the text that it is given
    (`unsafe-eval`). Nothing may be fetched, from anywhere, this gateway included. `sandbox` takes its origin
    away also where somebody opens the document outside of the frame that does.
    """
    scripts = _SCRIPT.findall(document.read_bytes())
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts]
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(hashes)} 'unsafe-eval'",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "font-src data:",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
            "sandbox allow-scripts",
        ]
    )
