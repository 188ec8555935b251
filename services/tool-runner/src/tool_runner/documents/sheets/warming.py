"""What the libraries load when they are first used, used once."""

import openpyxl
import xlrd

from tool_runner.documents.jobs import load_codecs, load_modules
from tool_runner.documents.sheets.format_jobs import set_filter, set_format
from tool_runner.documents.sheets.options import ChangeRows, FormatChange, SetFilter, SheetRef, WriteCells
from tool_runner.documents.sheets.read_jobs import summarize
from tool_runner.documents.sheets.row_jobs import insert_rows
from tool_runner.documents.sheets.write_jobs import write_cells

_URN = "urn:oasis:names:tc:opendocument:xmlns"
_FODS = (
    f"<office:document xmlns:office='{_URN}:office:1.0' xmlns:table='{_URN}:table:1.0' "
    "office:mimetype='application/vnd.oasis.opendocument.spreadsheet'><office:body><office:spreadsheet>"
    "<table:table><table:table-row/></table:table></office:spreadsheet></office:body></office:document>"
).encode()


def warm_up() -> None:
    """See `jobs`."""
    load_codecs()
    load_modules(openpyxl)
    values = (("a", 1, True, "2026-01-31", "=B1"), ("b", 2.5, None, "10:00:00", "=SUM(B1:B2)"))
    [book] = write_cells((b"",), WriteCells(values=values)).outputs
    [book] = set_format((book,), FormatChange(range="A1:B2", bold=True, fill_color="FFEE00", width=9)).outputs
    [book] = set_filter((book,), SetFilter(column="A", values=("a",))).outputs
    [book] = insert_rows((book,), ChangeRows(row=1)).outputs
    summarize((book,), SheetRef())
    load_modules(xlrd)
    summarize((_FODS,), SheetRef())
    summarize((b"a,b\n1,2\n",), SheetRef())
