"""What tools that make and change definitions are called with, and what they return."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import CODE_NAME, LARGEST_CODE, LONGEST_DESCRIPTION
from agent_tools.tool import Arguments, Result

Name = Annotated[str, Field(min_length=1, max_length=200, description="Its name.")]
CodeName = Annotated[
    str,
    Field(pattern=CODE_NAME, description="Its name."),
]
Description = Annotated[
    str, Field(min_length=1, max_length=LONGEST_DESCRIPTION, description="What it is for.")
]
Code = Annotated[str, Field(max_length=LARGEST_CODE, description="Its whole code.")]


class DefinitionRef(Arguments):
    """Which one."""

    name: Name


class WithDisabled(Arguments):
    """Which of them."""

    include_disabled: Annotated[bool, Field(description="Also those that are disabled.")] = False


class NoArguments(Arguments):
    """No arguments."""


class DefinitionVersion(Result):
    """The name, and the version that it has now; a change that changed nothing leaves it."""

    name: str
    version: int


class DefinitionDeletion(Result):
    """Whether there was anything to delete."""

    deleted: bool


class DefinitionSwitch(Result):
    """Whether it is enabled now."""

    name: str
    enabled: bool


class ListedDefinition(Result):
    """One of a list."""

    name: str
    description: str
    version: int


class ListedSwitchable(ListedDefinition):
    """One of a list, which may be disabled."""

    enabled: bool
