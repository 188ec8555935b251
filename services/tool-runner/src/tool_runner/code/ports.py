"""The ports that run and check agents' code, as this runner builds them for each call."""

from agent_platform.entities.entities import Entities
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress
from agent_tools.ports.running import Compute, OtherTools
from agent_tools.providers import Provider
from agent_tools.running.gate import RequestGate
from tool_runner.agent.egress import SecretsForCode
from tool_runner.agent.other_runners import OtherRunners
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.code.foreign import ForeignCalls
from tool_runner.code.host import HostParts, HostTurns
from tool_runner.code.own_tools import CodeRunner
from tool_runner.code.runs import CodeRuns, SandboxCodeCheck, SandboxCodeRunner
from tool_runner.code.set_back import SetBack
from tool_runner.sandbox.sandbox import Sandbox


def set_back_ports(log: Log, entities: Entities) -> tuple[Provider, ...]:
    """What becomes of a tool that fails."""

    def set_back(call: CallContext, definitions: AgentDefinitions) -> SetBack:
        return SetBack(log, entities, definitions, call)

    return (set_back,)


def code_ports(sandbox: Sandbox, entities: Entities) -> tuple[Provider, ...]:
    """All of it happens in the sandbox."""

    def check() -> CodeCheck:
        return SandboxCodeCheck(sandbox)

    turns = HostTurns()

    def foreign(call: CallContext, gate: RequestGate, runners: OtherRunners) -> ForeignCalls:
        return ForeignCalls(call, entities, gate, runners)

    def parts(  # noqa: PLR0913 — all that code can ask for
        call: CallContext,
        tools: OtherTools,
        egress: AgentEgress,
        compute: Compute,
        files: AgentFiles,
        runners: OtherRunners,
        gate: RequestGate,
        foreign: ForeignCalls,
    ) -> HostParts:
        return HostParts(call, tools, egress, compute, files, runners, foreign, gate, turns)

    def runs(
        call: CallContext,
        definitions: AgentDefinitions,
        secrets: SecretsForCode,
        clock: Clock,
        parts: HostParts,
    ) -> CodeRuns:
        return CodeRuns(call, sandbox, definitions, secrets, clock, parts)

    def own(runs: CodeRuns) -> CodeRunner:
        return SandboxCodeRunner(runs)

    def examples(runs: CodeRuns) -> Examples:
        return Examples(runs)

    return check, foreign, parts, runs, own, examples
