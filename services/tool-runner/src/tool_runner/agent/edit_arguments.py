"""What every tool that edits a text is called with."""

from typing import Annotated

from pydantic import Field

from agent_domain.text_edits import Operation, TextEdit
from agent_platform.log.storable_text import storable
from agent_tools.tool import Arguments

OPERATIONS = """\
replace: the whole text becomes `content`. \
find_replace: the first `find` becomes `replace`. \
append, prepend: `content` is added exactly as given; begin or end it with a line break if it needs one. \
delete: the first `content` is taken out."""


class EditedTexts(Arguments):
    """The texts of an edit. Each is literal: no patterns."""

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

    def edit_by(self, operation: Operation) -> TextEdit:
        """The edit, of texts that can be stored."""
        return TextEdit(
            operation,
            storable(self.content),
            storable(self.find),
            storable(self.replace),
            self.replace_all,
        )


class EditText(EditedTexts):
    """One edit of a text."""

    operation: Annotated[Operation, Field(description=OPERATIONS)]

    @property
    def edit(self) -> TextEdit:
        """The edit."""
        return self.edit_by(self.operation)
