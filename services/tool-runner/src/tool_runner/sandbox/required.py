"""Which libraries code needs, as far as its text tells."""

import re

from tool_runner.sandbox.program import Libraries

_REQUIRE = re.compile(r"""\brequire\s*\(\s*(["'`])([^"'`\n\\$]{1,200})\1\s*\)""")
MOST = 200
"""How many libraries one run is given."""


async def libraries_for(code: str, libraries: Libraries, known: dict[str, str]) -> dict[str, str]:
    """`known`, and what `code` and all of these require by a literal name, and so on, by name."""
    found = dict(known)
    wanted = [name for text in (code, *known.values()) for name in names_in(text)]
    while wanted and len(found) < MOST:
        name = wanted.pop()
        if name not in found and (text := await libraries.code_of(name)) is not None:
            found[name] = text
            wanted += names_in(text)
    return found


def names_in(code: str) -> list[str]:
    """The names in `require("…")`, in comments and strings as well."""
    return [match[2] for match in _REQUIRE.finditer(code)]
