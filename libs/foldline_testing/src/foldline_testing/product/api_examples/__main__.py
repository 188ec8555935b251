"""`python -m foldline_testing.product.api_examples FILE`: play the story, and write the API's examples."""

import json
import sys
import tempfile
from pathlib import Path

import msgspec

from foldline_testing.product.api_examples.story import recorded


def main(file: Path) -> None:
    """Write them, in the order of the operations' names."""
    with tempfile.TemporaryDirectory() as folder:
        examples = recorded(Path(folder))
    plain = msgspec.to_builtins(examples)
    file.write_text(json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    print(f"{len(examples)} operations have an example.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
