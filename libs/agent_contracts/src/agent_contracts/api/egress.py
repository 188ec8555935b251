"""What left, and which commands ran."""

from agent_contracts.api.wire import ResponseBody
from agent_contracts.sent import EgressVerdict
from agent_contracts.worked import Ending, Language, Touch


class CallRecord(ResponseBody, frozen=True, kw_only=True):
    """What an event tells of a call: `sequence` is that event's. What an app called has the `call_id` of the
    call that brought the app."""

    at: str
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    tool: str | None
    sequence: int


class CommandFile(ResponseBody, frozen=True, kw_only=True):
    """A file of the workspace: `opened` (and as it was), `created`, `changed` or `deleted`; its bytes."""

    path: str
    touch: Touch
    size: int


class CommandRecord(CallRecord, frozen=True, kw_only=True):
    """A command as it was when the call ended that ran it, or looked at it.

    `command` is the beginning of its text, `programs` are the names of those that were seen to run, five
    times a second. `files` are those of the workspace that changed, or were opened, since it was last told
    of; `more_files` are not listed. `saw_all`: false where the kernel couldn't tell all that were opened.
    `sequence`: of the event that records it.
    """

    command_id: str
    language: Language
    command: str
    ending: Ending
    exit_code: int | None
    duration_ms: int
    programs: list[str]
    files: list[CommandFile]
    more_files: int
    saw_all: bool


class CommandPage(ResponseBody, frozen=True, kw_only=True):
    """A page, newest first. Send `next_cursor` back as `cursor` for the next page; null: this is the last."""

    commands: list[CommandRecord]
    next_cursor: str | None


class EgressRecord(CallRecord, frozen=True, kw_only=True):
    """A request that left, or was kept from it (`verdict`), in the name of a call; the redirects that it
    followed are requests of their own. Its `path` is without the query.

    `bytes_out` and `bytes_in`: of headers and body. `secrets`: the names of those whose values it held.
    `status`: the answer's; null: there was none. `sequence`: of the event that records it.
    """

    host: str
    method: str
    path: str
    verdict: EgressVerdict
    bytes_out: int
    bytes_in: int
    status: int | None
    secrets: list[str]


class EgressPage(ResponseBody, frozen=True, kw_only=True):
    """A page, newest first. Send `next_cursor` back as `cursor` for the next page; null: this is the last."""

    requests: list[EgressRecord]
    next_cursor: str | None
