"""Conditions of policy rules that other distributions add: entry points of `foldline.conditions`."""

from collections.abc import Callable, Mapping

import msgspec

from agent_contracts.extensions import ExtensionFlaw
from agent_contracts.form_inputs import FormInput, InputOption
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import ToolSpec

PREFIX = "added."
"""Before the name of an added condition, where conditions are listed."""


class AddedCondition(msgspec.Struct, frozen=True, kw_only=True):
    """One condition. It holds where the pattern that a rule has for it fits what a call `says` of itself."""

    label: str
    """What people call it."""
    says: Callable[[ToolSpec, Mapping[str, Json]], str | None]
    """What a call of the tool with these arguments says of itself; None: nothing, so that no rule with this
    condition is about it. It must be quick, and say the same of the same call."""
    help: str = ""
    """What people read beside its input."""
    hint: str = ""
    """An example of a pattern."""
    options: Mapping[str, str] = {}
    """All that `says` gives, with what people call each; empty: any text."""

    def form_input(self, name: str) -> FormInput:
        """Its input in the form of a rule."""
        options = [InputOption(value=value, label=label, help="") for value, label in self.options.items()]
        return FormInput(
            name=f"{PREFIX}{name}",
            label=self.label,
            help=self.help,
            hint=self.hint,
            type="select" if options else "text",
            format=None,
            letters=None,
            options=options or None,
            required=False,
            default=None,
            pattern="",
        )


def check_condition(name: str, condition: AddedCondition) -> None:
    """Raises for one that can't be used."""
    if not condition.label.strip() or not callable(condition.says):
        raise ExtensionFlaw("it needs a label, and a function `says`")
