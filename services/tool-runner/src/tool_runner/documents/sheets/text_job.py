"""All that a workbook says, as text."""

from collections.abc import Mapping

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.sheets.options import TableOptions
from tool_runner.documents.sheets.reading import book_of

MOST_CELLS = 1_000_000
MOST_CHARACTERS = 12_000_000


def text(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `content`: each sheet after a line with its name, a line a row, tabs between values, comments
    behind them; of a formula without a stored value the formula; of a sheet that is broken, what can be read.
    `left_out`: what is missing.

    `Rejected`: `too_large` for more than a million cells, or more text than passes; where no sheet can be
    read, as its first.
    """
    [data] = inputs
    lines: list[str] = []
    problems: list[Rejected] = []
    cells = length = 0
    book = book_of(data, TableOptions())
    left_out: list[str] = []
    for sheet in book.sheets:
        lines += ["", f"# {sheet.name}{'' if sheet.state == 'visible' else f' ({sheet.state})'}", ""]
        try:
            for _, row in sheet.rows():
                cells += len(row)
                line = _line(
                    [(cell.column, cell.formula if cell.value is None else cell.value) for cell in row]
                )
                length += len(line)
                if cells > MOST_CELLS or length > MOST_CHARACTERS:
                    why = "the workbook says too much for one text: read ranges of it"
                    raise Rejected(why, kind=ErrorKind.TOO_LARGE)
                lines.append(line)
        except Rejected as error:
            if error.kind == ErrorKind.TOO_LARGE:
                raise
            problems.append(error)
        if sheet.problem:
            lines.append(f"[The rest is left out: {sheet.problem}]")
            left_out.append(f"the rest of the sheet {sheet.name!r}, which is broken")
        lines += [f"[Comment on {place}: {said}]" for place, said in sheet.comments.items()]
        left_out += sheet.left_out()
    if len(problems) == len(book.sheets):
        raise problems[0]
    lines += [f"[Text box: {said}]" for said in book.texts]
    content = "\n".join(lines).strip()
    return JobOutput(
        {"title": None, "byline": None, "content": content, "left_out": [*book.left_out, *left_out]}
    )


def _line(row: list[tuple[int, Json]]) -> str:
    """Values in their columns; what is missing in front of one or between two is a tab."""
    said, at = [], 1
    for column, value in row:
        said.append("\t" * (column - at) + ("" if value is None else " ".join(str(value).split())))
        at = column
    return "".join(said)


JOBS = {"text": text}
