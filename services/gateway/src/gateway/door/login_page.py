"""The page that asks for the token: one document, since nothing else may load without one."""

import base64
import hashlib

from starlette.responses import HTMLResponse

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
body { display: grid; place-items: center; min-height: 90vh; }
main { width: min(24rem, 100vw - 3rem); }
h1 { font-size: 1.4rem; }
form { display: flex; gap: .5rem; }
label { position: absolute; clip-path: inset(50%); }
input { flex: 1; min-width: 0; }
input, button { font: inherit; padding: .4rem .8rem; border: 1px solid #8888; border-radius: .4rem; }
button { background: #4457d6; border-color: #4457d6; color: #fff; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Log in to Foldline</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body>
<main>
<h1>Log in to Foldline</h1>
<p>Open the link that <code>foldline up</code> printed, or paste the token from its end here.</p>
<p>If the token was changed since, <code>foldline token rotate</code> printed a new link. Without a link, run
it where Foldline runs: it makes a new token, logs out all browsers, and prints the new link.</p>
{notice}
<form method="post" action="{root}login">
<label for="token">Token</label>
<input id="token" name="token" type="password" placeholder="Token" autocomplete="current-password" required
 autofocus>
<button type="submit">Log in</button>
</form>
</main>
</body>
</html>
"""
_WRONG = '<p role="alert"><strong>That is not the token.</strong></p>'

_HEADERS = {
    "WWW-Authenticate": "Bearer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            "script-src 'none'",
            f"style-src 'sha256-{_STYLE_HASH}'",
            "img-src data:",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    ),
    # With `no-referrer` browsers send the form with `Origin: null`, which the door refuses.
    "Referrer-Policy": "same-origin",
}


def response(root: str, *, wrong_token: bool) -> HTMLResponse:
    """The page, with status 401. `root` leads from its address to the gateway's root."""
    page = _PAGE.format(root=root, style=_STYLE, notice=_WRONG if wrong_token else "")
    return HTMLResponse(page, status_code=401, headers=_HEADERS)
