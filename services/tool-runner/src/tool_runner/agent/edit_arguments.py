"""What every tool that edits a text is called with."""

from typing import Annotated

from pydantic import Field

from agent_contracts.api.state import Operation
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable
from agent_tools.tool import Arguments

OPERATIONS = (
    "replace: the whole text. find_replace: the first `find` becomes `replace`. "
    "delete: the first `content` goes."
)


class EditedTexts(Arguments):
    """The texts of an edit. Each is literal: no patterns."""

    content: Annotated[str | None, Field(description="Literal text.")] = None
    find: Annotated[str | None, Field(description="Literal text.")] = None
    replace: Annotated[str | None, Field(description="For `find`.")] = None
    replace_all: Annotated[bool, Field(description="Every `find`, not only the first.")] = False

    def edit_by(self, operation: Operation) -> TextEdit:
        """The edit, of texts that can be stored."""
        return TextEdit(
            operation,
            storable(self.content),
            storable(self.find),
            storable(self.replace),
            self.replace_all,
        )


class TextEditArguments(EditedTexts):
    """One edit of a text."""

    operation: Annotated[Operation, Field(description=OPERATIONS)]

    @property
    def edit(self) -> TextEdit:
        """The edit."""
        return self.edit_by(self.operation)
