"""How a call wants dialogs answered that the page opens because of it."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import Arguments
from browser_pool.contexts.happenings import AnswerDialogs


class AnswersDialogs(Arguments):
    """Alerts are always accepted."""

    accept_dialogs: Annotated[
        bool, Field(description="Accept what the page asks to confirm; else it is dismissed.")
    ] = False
    dialog_text: Annotated[str, Field(max_length=2_000, description="For a prompt, with accept_dialogs.")] = (
        ""
    )

    @property
    def dialogs(self) -> AnswerDialogs:
        """For the context."""
        return AnswerDialogs("accept" if self.accept_dialogs else "dismiss", self.dialog_text)
