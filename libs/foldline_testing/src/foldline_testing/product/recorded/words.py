"""The hashes of what models are told besides messages: parts of the prompt, definitions of tools."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from foldline_testing.product.recorded.canonical import fingerprint
from foldline_testing.product.recorded.differences import prompts
from foldline_testing.product.recorded.recording import Recording

FILE = "words.json"


def words_of(recordings: Iterable[Recording]) -> dict[str, dict[str, list[str]]]:
    """The hash of each text by its name; a part of the prompt may have several."""
    found: dict[str, dict[str, set[str]]] = {"system": defaultdict(set), "tools": defaultdict(set)}
    for recording in recordings:
        for prompt in prompts(recording):
            for place, texts in prompt.items():
                for name, text in texts.items():
                    found[place][name].add(fingerprint(text))
    return {
        place: {name: sorted(hashes) for name, hashes in sorted(texts.items())}
        for place, texts in found.items()
    }


def write(recordings: Iterable[Recording], folder: Path) -> None:
    """Write the file of hashes, and say which texts changed."""
    path = folder / FILE
    was = json.loads(path.read_text()) if path.exists() else {}
    now = words_of(recordings)
    for place, texts in now.items():
        names = {**was.get(place, {}), **texts}
        changed = [name for name in names if was.get(place, {}).get(name) != texts.get(name)]
        if changed:
            print(f"{place} in other words: {', '.join(changed)}")
    path.write_text(json.dumps(now, indent=1) + "\n")
