"""What the external test tool did: a line "session call attempt pid note" for each time it acted."""

from collections import Counter
from pathlib import Path


class Acts:
    """The file where it leaves its lines."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def by_call(self) -> Counter[tuple[str, str]]:
        """How often it acted, by session and call."""
        if not self.file.exists():
            return Counter()
        lines = self.file.read_text().splitlines()
        return Counter((session_id, call_id) for session_id, call_id, *_ in map(str.split, lines))
