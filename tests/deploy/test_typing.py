"""In browser tests, people write by the keyboard: `fill` sets a value that no key could have put there."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ("tests/e2e", "tests/deploy", "apps/foldline", "services/gateway")
FILLS = re.compile(r"\.(fill|set_input_value)\([^)]")
"""A disk is filled without saying by what."""


def test_what_people_write_is_typed() -> None:
    files = [path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.py")]
    files = [path for path in files if path != Path(__file__)]
    files.append(REPOSITORY / "bench/ui.py")
    assert len(files) > 100
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: use `foldline_testing.product.typing.write`"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if FILLS.search(line)
    ]
    assert found == []
