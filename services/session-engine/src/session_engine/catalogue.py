"""The engine's own tools, as models are offered them. What they do is in `domain.engine_tools`."""

from importlib.metadata import version

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import AvailableTo, Catalogue, Effect, RunsOn, ToolSpec

_TEXT: dict[str, Json] = {"type": "string"}


def _spec(  # noqa: PLR0913 — a declaration: each part is named
    name: str,
    description: str,
    properties: dict[str, Json],
    required: list[str],
    *,
    pauses: bool = False,
    family: str = "sessions",
    available_to: AvailableTo = AvailableTo.ALL,
    always_sent: bool = False,
    for_workers: bool = False,
) -> ToolSpec:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": required,
    }
    return ToolSpec(
        name=name,
        description=description,
        parameters=schema,
        family=family,
        effect=Effect.RECORDED,
        runs_on=RunsOn.ENGINE,
        pauses=pauses,
        available_to=available_to,
        always_sent=always_sent,
        for_workers=for_workers,
    )


_SPAWNING: dict[str, Json] = {
    "task": {**_TEXT, "description": "Its first message: it knows nothing else."},
    "model": {"type": "string", "description": "By default yours."},
    "token_limit": {
        "type": "integer",
        "description": "What it may use; by default all you have.",
    },
    "copy_notepad": {"type": "boolean", "description": "It starts with a copy of yours."},
    "browser": {
        "enum": ["own", "parent"],
        "description": "parent: pages of its own in your browser, with your logins; by default its own.",
    },
}

ENGINE_TOOLS = Catalogue(
    pack="engine",
    version=version("session-engine"),
    families={
        "sessions": "sub-sessions",
        "tasks": "work to sum up",
    },
    tools=[
        _spec(
            "spawn_session",
            "Start a sub-session that works on a task beside you. Gives its id at once; "
            "`wait_for_sessions` gives what it found.",
            _SPAWNING,
            ["task"],
            always_sent=True,
        ),
        _spec(
            "fork_session",
            "Start a sub-session that knows everything said here so far, and then works on a task. Returns "
            "its id at once; use `wait_for_sessions` for what it finds.",
            _SPAWNING,
            ["task"],
        ),
        _spec(
            "wait_for_sessions",
            "Wait until sub-sessions of yours have finished; their results come in the order you name them.",
            {"ids": {"type": "array", "items": _TEXT, "minItems": 1, "description": "Ids of sub-sessions."}},
            ["ids"],
            pauses=True,
        ),
        _spec(
            "report_result",
            "Give your result to the session that started you. This ends you at once: say everything in it.",
            {"result": {"type": "string", "description": "What you found."}},
            ["result"],
            available_to=AvailableTo.SUB_SESSIONS,
            for_workers=True,
        ),
        _spec(
            "begin_task",
            "Begin a piece of work whose details you won't need once it is done. Tasks may nest. End it with "
            "`end_task`: everything in between is then replaced by your summary, to save your context.",
            {"title": {**_TEXT, "description": "What the work is, in a few words."}},
            ["title"],
            family="tasks",
        ),
        _spec(
            "end_task",
            "End the innermost task: what was said since it began is replaced by your summary. The user "
            "still sees all of it.",
            {"summary": {**_TEXT, "description": "The outcome, with every fact you will need."}},
            ["summary"],
            family="tasks",
        ),
        _spec(
            "cancel_task",
            "Give up the innermost task and keep everything that was said since it began.",
            {},
            [],
            family="tasks",
        ),
    ],
)
