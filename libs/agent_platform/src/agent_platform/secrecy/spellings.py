"""How programs write a secret's value: as it is, escaped, percent-encoded, in base64. Pure."""

import base64
import html
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

_UNRESERVED = ("", "/", "!'()*", "!'()*;/?:@&=+$,#", "@*_+-./")
"""What percent-encoders leave as it is: Python's, JavaScript's three, and those that leave slashes."""


def spellings_of(value: str) -> set[str]:
    """The value as it is, percent-encoded, in JSON (twice, too), as Python's `repr` has it, in HTML,
    hexadecimal, and in base64 and base64url, wherever in the encoded text it stands: so in the
    `user:password` of a header, too."""
    plain = value.encode("utf-8", "surrogatepass")
    coded = {quote(value, safe=safe) for safe in _UNRESERVED}
    coded |= {quote_plus(value), quote_plus(value, safe="*"), quote(value, safe="").replace("~", "%7E")}
    coded |= {quote_plus(value, safe="*").replace("~", "%7E")}
    coded |= {re.sub("%..", lambda found: found[0].lower(), one) for one in coded}
    ascii_json, json_text = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    for one in (ascii_json, json_text):
        for_html = re.sub("[&<>']", lambda found: f"\\u{ord(found[0]):04x}", one)
        for escaped in (one, one.replace("/", "\\/"), for_html):
            again = escaped.replace("\\", "\\\\").replace('"', '\\"')
            upper = re.sub(r"\\u....", lambda found: f"\\u{found[0][2:].upper()}", escaped)
            coded |= {escaped, again, upper, json.dumps(escaped)[1:-1]}
    for_page = html.escape(value)
    coded |= {for_page, for_page.replace("&#x27;", "&#39;"), html.escape(value, quote=False)}
    coded |= {repr(value)[1:-1], ascii(value)[1:-1], repr(plain)[2:-1]}
    coded |= {plain.hex(), plain.hex().upper(), *_base64_of(plain)}
    return coded | {value}


def _base64_of(plain: bytes) -> Iterable[str]:
    """What base64 has of it in each of the three places that it can begin at, and of it alone, all."""
    for before in range(3):
        text = base64.b64encode(b"\0" * before + plain).decode()
        inner = text[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]
        for spelled in (inner, text, text.rstrip("=")) if before == 0 else (inner,):
            yield spelled
            yield spelled.replace("+", "-").replace("/", "_")
