"""What can be wrong with code before it runs, and in which form it is to run."""

from typing import Literal

import msgspec

CodeForm = Literal["body", "module", "component"]
"""How code is run: as a function's body (tools, functions), as a CommonJS module (libraries), or by a browser
as a page (components)."""


class CodeProblem(msgspec.Struct, frozen=True):
    """Why code doesn't parse; line and column count from 1."""

    message: str
    line: int
    column: int
