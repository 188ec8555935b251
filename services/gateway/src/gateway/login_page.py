"""The page that asks for the token: plain HTML, since nothing else may load without one."""

from starlette.responses import HTMLResponse

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Foldline: log in</title></head>
<body>
<main>
<h1>Foldline</h1>
{notice}
<form method="post" action="/login">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Log in</button>
</form>
<p>Open the link that <code>foldline up</code> printed, or paste the token from the file <code>token</code>
in the data directory.</p>
</main>
</body>
</html>
"""
_WRONG = '<p role="alert"><strong>That is not the token.</strong></p>'


def response(*, wrong_token: bool) -> HTMLResponse:
    """The page, with status 401."""
    page = _PAGE.format(notice=_WRONG if wrong_token else "")
    return HTMLResponse(
        page, status_code=401, headers={"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"}
    )
