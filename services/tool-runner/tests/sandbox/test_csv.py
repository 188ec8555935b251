"""Code, the spreadsheet tools and the UI's export read and write CSV by one table of cases.

`services/ui/src/lib/csv.test.ts` holds the export to the same file.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tool_runner.documents.sheets.dialects import table_of
from tool_runner.documents.sheets.options import TableOptions
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

CASES = json.loads((Path(__file__).parent.parent / "csv_cases.json").read_text(encoding="utf-8"))
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


@each_case
@pytest.mark.parametrize("ends", ["\r\n", "without a last line end", "with a byte order mark"])
async def test_code_reads_what_is_written(sandbox: Sandbox, case: dict[str, Any], ends: str) -> None:
    text = case["written"]
    if ends.startswith("without"):
        text = text.removesuffix("\r\n")
    if ends.endswith("mark"):
        text = "\ufeff" + text
    program = SandboxProgram(f"return parseCSV({json.dumps(text)})")
    assert (await sandbox.run(program)).value == case["read"]


@each_case
async def test_spreadsheet_tools_read_what_is_written(case: dict[str, Any]) -> None:
    options = TableOptions(delimiter=",", quote='"') if len(case["rows"][0]) > 1 else TableOptions()
    found = [
        ["" if cell is None else cell for cell in row] for row in table_of(case["written"], options).rows()
    ]
    assert found == case["read"]
