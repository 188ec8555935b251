"""What a program's rights open is said in the same words everywhere."""

import re
from pathlib import Path

from agent_contracts.api.program_tokens import RIGHT_WORDS, ProgramRight
from gateway.http.wire.rights import RULES

ROOT = Path(__file__).parents[2]


def test_the_studio_and_the_docs_say_of_each_right_what_the_contract_says() -> None:
    assert set(RIGHT_WORDS) == set(ProgramRight)
    studio = (ROOT / "services/ui/src/features/studio/api/mcp.ts").read_text()
    [record] = re.findall(r"RIGHTS: Record<ProgramRight, string> = \{(.*?)\n\};", studio, re.DOTALL)
    assert dict(re.findall(r'(\w+):\s+"([^"]*)"', record)) == RIGHT_WORDS
    api = (ROOT / "docs/api/README.md").read_text()
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", api, re.MULTILINE)) == RIGHT_WORDS
    by_mcp = (ROOT / "docs/mcp-server.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", by_mcp, re.MULTILINE)) == set(ProgramRight)


def test_what_read_opens_is_named() -> None:
    opened = " ".join(pattern for right, _, pattern in RULES if right is ProgramRight.READ)
    for word in ("prompt", "notes", "state", "database", "policy", "commands", "egress", "costs"):
        assert word in opened
        assert {"egress": "outgoing requests"}.get(word, word) in RIGHT_WORDS[ProgramRight.READ]
