"""A page that says one thing: a document of its own, since nothing else loads without a token."""

import base64
import hashlib
from collections.abc import Mapping
from html import escape

from starlette.responses import HTMLResponse

from gateway.http.wire.problems import KINDS, ProblemError
from gateway.http.wire.problems import response as as_json

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
body { display: grid; place-items: center; min-height: 90vh; }
main { width: min(24rem, 100vw - 3rem); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; }
"""
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} – Foldline</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            f"style-src 'sha256-{_HASH}'",
            "img-src data:",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    ),
}


def response(title: str, body: str, status: int) -> HTMLResponse:
    """The page; title and body are HTML."""
    page = _PAGE.format(title=title, style=STYLE, body=body)
    return HTMLResponse(page, status_code=status, headers=_HEADERS)


def of_problem(error: ProblemError) -> HTMLResponse:
    """What is a problem to programs, for a person."""
    answer = as_json(error)
    body = f"<p>{escape(error.detail.rstrip('.'))}.</p>"
    page = response(escape(KINDS[error.kind].title), body, answer.status_code)
    page.headers.update(_kept(answer.headers))
    return page


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in ("Retry-After", "WWW-Authenticate") if name in headers}
