"""Tokens of programs: what each may do, by HTTP and by MCP."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import msgspec

from agent_contracts.api.wire import Id, RequestBody, ResponseBody, check_ids
from agent_contracts.timestamp import Timestamp
from agent_contracts.wakes import SourceName


class ProgramRight(StrEnum):
    """What a program may do."""

    READ = "read"
    """Read everything of the agent except secrets and settings: its prompt, state and database included."""
    SAY = "say"
    """Say something, in a new session or one that is there, with files; stop or retry a turn."""
    APPROVE = "approve"
    """Answer questions, and approvals, of its own calls too: once, or with a no. Not by MCP."""
    FORK = "fork"
    """Fork sessions. Going back stays with people; what it would undo is `read`."""
    TOOLS = "tools"
    """Run the agent's own tools that a person exposed. By MCP alone."""


RIGHT_WORDS: Mapping[ProgramRight, str] = {
    ProgramRight.READ: "read everything of the agent except secrets and settings: chats, files, prompt, "
    "notes, state, database, policy, commands, outgoing requests, costs",
    ProgramRight.SAY: "begin chats, say something and send files in them, stop and retry",
    ProgramRight.APPROVE: "answer questions and approvals, those of its own calls too",
    ProgramRight.FORK: "fork sessions",
    ProgramRight.TOOLS: "run the exposed tools, by MCP",
}
"""What each right lets a program do, after *may*: the Studio, the command line and the docs say it so."""


class AllowedProgram(ResponseBody, frozen=True, kw_only=True):
    """A program with a token of its own. The token isn't shown."""

    name: str
    """The program's name, under which its token can be revoked."""
    created_at: Timestamp
    agent_id: str | None
    """Id of the one agent that it may use; null: any."""
    rights: list[ProgramRight]
    """What it may do."""
    service: bool
    """Whether Foldline made it for a service that it starts. Such a token is made anew at each start."""


class MadeProgramToken(ResponseBody, frozen=True, kw_only=True):
    """A new token for a program."""

    program: AllowedProgram
    """The program that the token belongs to."""
    token: str
    """Shown this once: the program sends it as a bearer token, to the API and to `/mcp`."""


class RevokedProgramToken(ResponseBody, frozen=True, kw_only=True):
    """The token is invalid from now on."""

    name: str
    """Name of the program whose token it was."""


class NewProgramToken(RequestBody, frozen=True, kw_only=True):
    """A program, and what it may do."""

    name: SourceName
    """The program's name: 1 to 24 of a-z, 0-9 and `-`, a letter first."""
    agent_id: Id | None
    """Id of the one agent that it may use; null: any. A program that uses `/mcp` needs one."""
    rights: Annotated[list[ProgramRight], msgspec.Meta(min_length=1, max_length=len(ProgramRight))]
    """`read`, `say` something, `approve` (questions and approvals), `fork` sessions, run the `tools` that are
    exposed."""

    def __post_init__(self) -> None:
        check_ids(*([self.agent_id] if self.agent_id is not None else ()))
