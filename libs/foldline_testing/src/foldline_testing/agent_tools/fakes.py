"""Ports in memory, for tests of tools: each is one agent's, and is kept for as long as the test has it."""

import json
import sqlite3
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from agent_contracts.entities.agent_texts import AgentTextSpec
from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.entities.delegates import Delegate
from agent_contracts.entities.notebook import NoteTab
from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.policies import PolicyJudgement
from agent_contracts.questions.generation import Generate
from agent_contracts.tool_spec import ToolSpec
from agent_domain.policies.judgement import InForce, judge
from agent_domain.policies.policy_request import Context, PolicyRequest
from agent_domain.text_edits import TextEdit, edited
from agent_domain.text_entities import TextVersion
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentColumn, AgentTable, BeforeLoss, SqlAnswer
from agent_tools.ports.models import ModelAnswer
from egress.fetching import FetchRequest, FetchResponse

T = TypeVar("T")


class MemoryState:
    """An `AgentState`."""

    def __init__(self) -> None:
        self._values: dict[str, Json] = {}

    async def get(self, key: str) -> Json:
        """See `AgentState`."""
        return self._values.get(key)

    async def set(self, key: str, value: Json) -> None:
        """See `AgentState`."""
        self._values[key] = value

    async def delete(self, key: str) -> bool:
        """See `AgentState`."""
        if key not in self._values:
            return False
        del self._values[key]
        return True

    async def keys(self, prefix: str = "") -> list[str]:
        """See `AgentState`."""
        return sorted(key for key in self._values if key.startswith(prefix))


class MemoryNotebook:
    """An `AgentNotebook` of these tabs, without the real one's bounds."""

    def __init__(self, *tabs: NoteTab) -> None:
        self._tabs = {tab.name: [tab] for tab in tabs}

    async def tabs(self) -> Sequence[NoteTab]:
        """See `AgentNotebook`."""
        return [versions[-1] for versions in self._tabs.values()]

    async def change(self, name: str, change: Callable[[str], str]) -> NoteTab:
        """See `AgentNotebook`."""
        versions = self._writable(name)
        versions.append(msgspec.structs.replace(versions[-1], content=change(versions[-1].content)))
        return versions[-1]

    async def take_back(self, name: str, steps: int) -> NoteTab:
        """See `AgentNotebook`."""
        versions = self._writable(name)
        if steps >= len(versions):
            raise Rejected(f"the tab {name!r} was changed {len(versions) - 1} times")
        del versions[-steps:]
        return versions[-1]

    def _writable(self, name: str) -> list[NoteTab]:
        versions = self._tabs.get(name)
        if versions is None:
            raise Rejected(f"there is no tab {name!r}", kind=ErrorKind.NOT_FOUND)
        if not versions[-1].agent_write:
            raise Rejected(f"the tab {name!r} is not for you to write", kind=ErrorKind.BLOCKED)
        return versions


class MemoryTexts:
    """`AgentTexts`."""

    def __init__(self) -> None:
        self._texts: dict[AgentTextSpec, TextVersion] = {}

    async def read(self, which: AgentTextSpec) -> TextVersion:
        """See `AgentTexts`."""
        return self._texts.get(which, TextVersion(which.initial, 0, None))

    async def edit(self, which: AgentTextSpec, edit: TextEdit) -> int:
        """See `AgentTexts`."""
        before = await self.read(which)
        text = edited(before.text, edit)
        if text != before.text:
            self._texts[which] = TextVersion(text, before.version + 1, None)
        return (await self.read(which)).version


class MemoryDefinitions:
    """`AgentDefinitions`, of which only the newest version is kept."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], NamedDefinition[Any]] = {}

    async def create(self, kind: ThingKind[D], name: str, value: D) -> int:
        """See `AgentDefinitions`."""
        if (kind.kind, name) in self._made:
            raise Rejected(f"there is a {kind.noun} named {name!r} already", kind=ErrorKind.CONFLICT)
        self._made[kind.kind, name] = NamedDefinition(name, value, 1)
        return 1

    async def update(self, kind: ThingKind[D], name: str, change: Callable[[D], D]) -> int:
        """See `AgentDefinitions`."""
        before = await self.read(kind, name)
        value = change(before.value)
        if value != before.value:
            self._made[kind.kind, name] = NamedDefinition(name, value, before.version + 1)
        return self._made[kind.kind, name].version

    async def delete(self, kind: ThingKind[D], name: str) -> bool:
        """See `AgentDefinitions`."""
        return self._made.pop((kind.kind, name), None) is not None

    async def read(self, kind: ThingKind[D], name: str, up_to: int | None = None) -> NamedDefinition[D]:
        """See `AgentDefinitions`; whatever `up_to` says, the definition as it is now."""
        found = self._made.get((kind.kind, name))
        if found is None:
            raise Rejected(f"there is no {kind.noun} named {name!r}", kind=ErrorKind.NOT_FOUND, path="/name")
        return found

    async def list(self, kind: ThingKind[D]) -> Sequence[NamedDefinition[D]]:
        """See `AgentDefinitions`."""
        return [made for (of, _), made in sorted(self._made.items()) if of == kind.kind]


class MemoryDatabase:
    """An `AgentDatabase`: SQLite without the runner's rules and limits. Values are SQLite's own."""

    def __init__(self) -> None:
        self._sqlite = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._sqlite.close)

    async def sql(
        self, statement: str, params: Sequence[Json], before_loss: BeforeLoss | None = None
    ) -> SqlAnswer:
        """See `AgentDatabase`. It never asks `before_loss`: the runner's own does."""
        before = self._sqlite.total_changes
        try:
            cursor = self._sqlite.execute(statement, tuple(params))
            rows = [list(row) for row in cursor.fetchall()]
        except sqlite3.Error as error:
            raise Rejected(str(error), path="/sql") from error
        columns = [column for column, *_ in cursor.description] if cursor.description else None
        changes = self._sqlite.total_changes - before
        if columns is not None and not changes:
            return SqlAnswer(columns, rows, truncated=False)
        return SqlAnswer(columns, rows, False, changes, cursor.lastrowid or 0)

    async def tables(self) -> list[AgentTable]:
        """See `AgentDatabase`."""
        names = self._sqlite.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        return [self._table(name) for (name,) in names.fetchall()]

    def _table(self, name: str) -> AgentTable:
        columns = self._sqlite.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,))
        quoted = '"' + name.replace('"', '""') + '"'
        ((count,),) = self._sqlite.execute(f"SELECT count(*) FROM {quoted}")
        return AgentTable(
            name, [AgentColumn(c, kind, bool(n), bool(pk)) for c, kind, n, pk in columns], count
        )


class NamedDelegates:
    """`AgentDelegates` that a test names."""

    def __init__(self, *delegates: Delegate) -> None:
        self.delegates = delegates

    async def list(self) -> Sequence[Delegate]:
        """See `AgentDelegates`."""
        return self.delegates


class JudgedBy:
    """`CallPolicy` of one policy."""

    def __init__(self, in_force: InForce, call: CallContext) -> None:
        self._in_force = in_force
        self._call = call

    async def judged(self, asked: PolicyRequest) -> PolicyJudgement:
        """See `CallPolicy`."""
        return judge(self._in_force, asked, Context(self._call.grants, self._call.outside.all))


class UnaskedChanges:
    """`LastingChanges` that nothing stands against. `required` is what was asked about."""

    def __init__(self) -> None:
        self.required: list[tuple[str, dict[str, Json]]] = []

    async def require(
        self, tool: ToolSpec, arguments: dict[str, Json], changes: EntityKey | None = None
    ) -> None:
        """See `LastingChanges`."""
        self.required.append((tool.tool, arguments))


class AnsweredEgress:
    """An `AgentEgress` whose other ends answer as the test says, by address. `asked` is what was sent."""

    def __init__(self, answers: Mapping[str, FetchResponse] | None = None) -> None:
        self.answers = dict(answers or {})
        self.asked: list[FetchRequest] = []

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """See `AgentEgress`. `Transient(kind="upstream")` for an address without an answer."""
        self.asked.append(request)
        if request.url not in self.answers:
            raise Transient(f"{request.url} can't be reached", kind=ErrorKind.UPSTREAM)
        return self.answers[request.url]


class AnsweringModels:
    """`Models` that give these answers, one after another. `asked` is what they were asked."""

    def __init__(self, *answers: ModelAnswer) -> None:
        self.answers = list(answers)
        self.asked: list[Generate] = []

    async def ask(self, asked: Generate) -> ModelAnswer:
        """See `Models`. Where a schema is asked for and the answer has no `parsed`, its text is read."""
        self.asked.append(asked)
        if not self.answers:
            raise Transient("no model answers", kind="no_responders")
        answer = self.answers.pop(0)
        if asked.schema is None or answer.parsed is not None:
            return answer
        return msgspec.structs.replace(answer, parsed=json.loads(answer.text))


class AtOnce:
    """`Compute` on the event loop's own thread."""

    async def run(self, work: Callable[[], T]) -> T:
        """See `Compute`."""
        return work()
