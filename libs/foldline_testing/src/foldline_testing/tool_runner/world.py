"""For tests of this runner's tools: one log, and runners of every tool there is with their real ports."""

import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import SecretStr

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.questions.function_calls import Progress
from agent_contracts.questions.history_search import HistoryHit, SearchHistory
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.log.bucket import Bucket
from agent_tools.context import CallContext
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from agent_tools.running.compute import ComputeThread
from agent_tools.running.runner import OwnTools
from egress.guard import Egress
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.host_world import HostWorld
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.egress.web import egress_to
from tool_runner.agent.history import HistorySearch
from tool_runner.agent.other_runners import OtherRunnerResult, OtherRunners, RunnerSubjects
from tool_runner.agent.searching.services import SearchOf, SearchServices
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.app import RunnerParts
from tool_runner.code.check import CodeCheck
from tool_runner.code.own_tools import CodeRunner, StoredFunctions, StoredTools
from tool_runner.code.ports import code_ports
from tool_runner.core import discover
from tool_runner.documents.documents import Documents
from tool_runner.questions.function_calls import FunctionCalls
from tool_runner.questions.user_questions import UserQuestions
from tool_runner.sandbox.problems import CodeForm, CodeProblem
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.settings import RunnerSettings


def memory_vault() -> Vault:
    """A vault with a key of its own, in memory."""
    return Vault(
        Bucket(MemoryLog(), "secrets"), SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
    )


class Parentheses:
    """A code check to which code parses if its parentheses match."""

    async def problem(self, code: str, form: CodeForm) -> CodeProblem | None:
        """See `CodeCheck`."""
        opened = code.count("(") - code.count(")")
        if not opened:
            return None
        line = code.count("\n") + 1
        return CodeProblem("parentheses don't match", line, len(code.rpartition("\n")[2]) + 1)


class EchoedCode:
    """A `CodeRunner` to which code returns itself and its arguments, but `fail` fails."""

    async def run(self, made: NamedDefinition[ToolDefinition], args: dict[str, Json]) -> Json:
        """See `CodeRunner`."""
        if made.value.code == "fail":
            raise Rejected("TypeError: no (line 1, column 1)")
        return {"code": made.value.code, "args": args}


def echoed_code() -> CodeRunner:
    """The port by which code is echoed."""
    return EchoedCode()


@dataclass
class FoundNowhere:
    """A `HistorySearch` in which nothing was said; it keeps what it was asked."""

    asked: list[SearchHistory] = field(default_factory=list)

    async def search(self, asked: SearchHistory) -> tuple[HistoryHit, ...]:
        """See `HistorySearch`."""
        self.asked.append(asked)
        return ()


@dataclass
class BuiltInOf:
    """The built-in names are those of one registry."""

    registry: Registry

    async def names(self) -> frozenset[str]:
        """See `BuiltIn`."""
        return frozenset(tool.spec.name for tool in self.registry)


class NoRunners:
    """`OtherRunners` where none runs."""

    async def call(self, asking: RunnerSubjects, asked: CodeCall, call: CallContext) -> OtherRunnerResult:
        """See `OtherRunners`."""
        raise Rejected(asking.nobody, kind=ErrorKind.NOT_AVAILABLE)


@cache
def all_tools() -> Registry:
    """Every tool of this distribution, those by which it tests itself included."""
    return discover(selftest=True, installed=())


@dataclass
class World(HostWorld):
    """One log, and what is delivered from it.

    Agents' code is run by what `code` provides; without one, in the `sandbox`, and without that by
    `EchoedCode`. What code may be stored is for `check` to say; None asks the sandbox.
    """

    registry: Registry = field(default_factory=all_tools)
    egress: Egress = field(default_factory=lambda: egress_to("a.test", "b.test"))
    vault: Vault = field(default_factory=memory_vault)
    compute: ComputeThread = field(default_factory=ComputeThread)
    code: Provider | None = None
    sandbox: Sandbox | None = None
    check: CodeCheck | None = field(default_factory=Parentheses)
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()) / "foldline-test-copies")
    models: ScriptedModels = field(default_factory=ScriptedModels)
    documents: Documents = field(default_factory=Documents)
    history: HistorySearch = field(default_factory=FoundNowhere)
    search: SearchServices = field(default_factory=lambda: SearchServices(()))
    search_of: SearchOf | None = None
    settings: RunnerSettings = field(default_factory=lambda: RunnerSettings(timezone="UTC"))
    runners: OtherRunners = field(default_factory=NoRunners)

    def __post_init__(self) -> None:
        self.told: list[tuple[CallId, Progress]] = []
        snapshots = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
        self.databases = AgentDatabases(self.log, snapshots, self.blobs, self.folder, self.clock, self.source)

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`: the ports of the service, but for what is faked here."""
        parts = RunnerParts(
            EffectiveSettings(self.entities, self.settings),
            self.databases,
            self.compute,
            self.documents,
            BuiltInOf(self.registry),
            self.egress,
            self.vault,
            self.models,
            self._search,
            self.history,
            self.runners,
        )
        return *super().providers(), *parts.ports(self.base), *self._code_ports()

    def own_tools(self) -> OwnTools:
        """See `CallWorld`."""
        return StoredTools(self.entities)

    def functions(self) -> FunctionCalls:
        """A runner for pages."""
        functions = StoredFunctions(self.log, self.entities)
        return FunctionCalls(functions, self.toolbox(), self.base.keyed, self.blobs, self._told, parallel=4)

    async def _told(self, call_id: CallId, told: Progress) -> None:
        self.told.append((call_id, told))

    def questions(self) -> UserQuestions:
        """A runner for people."""
        return UserQuestions(self.log, self.toolbox(), self.databases, self.blobs, self.clock)

    def _search(self, call: CallContext) -> SearchServices:
        return self.search if self.search_of is None else self.search_of(call)

    def _code_ports(self) -> tuple[Provider, ...]:
        def code_check() -> CodeCheck:
            assert self.check is not None
            return self.check

        sandbox = self.sandbox or Sandbox(Path(tempfile.gettempdir()) / "foldline-test-sandbox")
        check, foreign, parts, runs, own, examples = code_ports(sandbox, self.entities)
        runner = self.code or (own if self.sandbox else echoed_code)
        return code_check if self.check else check, foreign, parts, runs, runner, examples
