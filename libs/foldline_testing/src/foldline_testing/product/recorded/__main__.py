"""`python -m foldline_testing.product.recorded FOLDER [STORY …]`: record the stories anew, and say what
differs.

A story that comes out as it was keeps its files: only what differs is written.
"""

import sys
import tempfile
from pathlib import Path

from foldline_testing.product.recorded.differences import differences
from foldline_testing.product.recorded.recorder import record
from foldline_testing.product.recorded.recording import (
    Recording,
    as_read,
    forget_unused_blobs,
    read,
    write,
    written,
)
from foldline_testing.product.recorded.stories.every import STORIES


def main(folder: Path, names: list[str]) -> int:
    """Record the stories that are named, or all; 2 if a name is unknown."""
    unknown = set(names) - {story.name for story in STORIES}
    if unknown:
        print(f"No story is named {', '.join(sorted(unknown))}.")
        return 2
    chosen = [story for story in STORIES if not names or story.name in names]
    with tempfile.TemporaryDirectory() as data_dir:
        for recording in record(chosen, Path(data_dir)):
            print(_taken_over(recording, folder), flush=True)
    forget_unused_blobs(folder)
    return 0


def _taken_over(recording: Recording, folder: Path) -> str:
    """Write the recording if it differs from the stored one; what happened, in words."""
    if not written(folder, recording.name):
        write(recording, folder)
        return f"{recording.name}: new, {len(recording.events())} events"
    found = differences(read(folder / recording.name), as_read(recording))
    if not found:
        return f"{recording.name}: as before"
    write(recording, folder)
    return "\n  ".join([f"{recording.name}: written anew", *found])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
