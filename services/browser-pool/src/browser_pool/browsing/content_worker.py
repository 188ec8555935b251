"""The process that finds a page's main content: `python -m …`, one for each page, bounded by its system.

It reads the form and the address as a line of JSON, then the HTML, and writes the content as JSON. A page can
make this take for ever, or all memory.
"""

import resource
import sys

import msgspec

CPU_S = 12
MEMORY = 1024 * 1024 * 1024


class ContentRequest(msgspec.Struct, frozen=True):
    """How the content is wanted, and what its links are relative to."""

    form: str
    url: str


def main() -> None:
    """Once."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    # Heavy: trafilatura takes a second and 60 MB, of this process alone.
    from agent_tools.pages.main_content import main_content

    asked = msgspec.json.decode(sys.stdin.buffer.readline(), type=ContentRequest)
    html = sys.stdin.buffer.read().decode(errors="replace")
    found = main_content(html, asked.form, asked.url or None)  # type: ignore[arg-type]
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
