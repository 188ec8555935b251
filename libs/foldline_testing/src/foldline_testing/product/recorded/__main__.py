"""`python -m foldline_testing.product.recorded FOLDER [STORY …]`: record the stories anew, and say what
differs.

A story in which the same happened as before keeps its events: only what they come to by today's code is
written, where it differs. The hashes of the prompt's parts and of tools' definitions are in one file.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from foldline_testing.agent_platform.servers import postgres_for_tests
from foldline_testing.product.recorded import words
from foldline_testing.product.recorded.differences import differences, same_course
from foldline_testing.product.recorded.meaning import expected_of
from foldline_testing.product.recorded.recorder import record
from foldline_testing.product.recorded.recording import (
    Recording,
    as_read,
    forget_unused_blobs,
    read,
    stories_in,
    write,
)
from foldline_testing.product.recorded.stories.every import STORIES
from foldline_testing.product.recorded.views import seen_of


def main(folder: Path, names: list[str]) -> int:
    """Record the stories that are named, or all; 2 if a name is unknown."""
    unknown = set(names) - {story.name for story in STORIES}
    if unknown:
        print(f"No story is named {', '.join(sorted(unknown))}.")
        return 2
    chosen = [story for story in STORIES if not names or story.name in names]
    played = []
    with tempfile.TemporaryDirectory() as scratch, postgres_for_tests(Path(scratch, "postgres")) as postgres:
        for recording in record(chosen, Path(scratch, "foldline")):
            with postgres.database() as dsn:
                print(_taken_over(recording, folder, dsn), flush=True)
            played.append(recording)
    forget_unused_blobs(folder)
    if not names:
        words.write(played, folder)
    return 0


def _taken_over(recording: Recording, folder: Path, dsn: str) -> str:
    """Write what differs from the stored one; what happened, in words."""
    if recording.name not in stories_in(folder):
        write(recording, folder)
        return f"{recording.name}: new, {len(recording.events())} events"
    old, new = read(folder / recording.name), as_read(recording)
    found = differences(old, new)
    if same_course(old, new):
        changed, what = write(asyncio.run(_by_todays_code(old, dsn)), folder), "the same happened"
    elif found:
        changed, what = write(new, folder), "recorded anew"
    else:
        changed, what = [], "the same happened, in another order"
    if not changed:
        return f"{recording.name}: as before"
    return "\n  ".join([f"{recording.name}: {what}, {', '.join(changed)} written", *found])


async def _by_todays_code(old: Recording, dsn: str) -> Recording:
    """The events that were recorded, and what they come to now."""
    return Recording(old.name, old.sessions, await expected_of(old.sessions), await seen_of(old, dsn))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
