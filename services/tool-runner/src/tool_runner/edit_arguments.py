"""What every tool that edits a text is called with."""

from typing import Annotated

from pydantic import Field

from agent_platform.text_edits import Operation, TextEdit
from tool_runner.json_text import storable
from tool_runner.tool import Arguments

_OPERATIONS = """\
replace: the whole text becomes `content`. \
find_replace: the first `find` becomes `replace`. \
append, prepend: `content` is added exactly as given; begin or end it with a line break if it needs one. \
delete: the first `content` is taken out."""


class EditText(Arguments):
    """One edit of a text. Each text is literal: no patterns."""

    operation: Annotated[Operation, Field(description=_OPERATIONS)]
    content: Annotated[
        str | None, Field(description="For replace, append, prepend and delete: the text in question.")
    ] = None
    find: Annotated[
        str | None, Field(description="For find_replace: what to look for, character by character.")
    ] = None
    replace: Annotated[str | None, Field(description="For find_replace: what to put in its place.")] = None
    replace_all: Annotated[
        bool, Field(description="For find_replace: replace every occurrence, not only the first.")
    ] = False

    @property
    def edit(self) -> TextEdit:
        """The edit, of texts that can be stored."""
        return TextEdit(
            self.operation,
            storable(self.content),
            storable(self.find),
            storable(self.replace),
            self.replace_all,
        )
