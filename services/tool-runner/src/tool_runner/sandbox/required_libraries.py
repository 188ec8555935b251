"""Which libraries code needs, as far as its text tells."""

from collections.abc import Awaitable, Callable

from tool_runner.sandbox.library import LoadedLibrary, names_in

MOST = 200
"""How many libraries one run is given."""

FindLibrary = Callable[[str], Awaitable[LoadedLibrary | None]]


async def libraries_for(
    code: str, find: FindLibrary, known: dict[str, LoadedLibrary]
) -> dict[str, LoadedLibrary]:
    """`known`, and what `code` and all of these require by a literal name, and so on, by name."""
    found = dict(known)
    wanted = [*names_in(code), *(name for library in known.values() for name in library.requires)]
    while wanted and len(found) < MOST:
        name = wanted.pop()
        if name not in found and (library := await find(name)) is not None:
            found[name] = library
            wanted += library.requires
    return found
