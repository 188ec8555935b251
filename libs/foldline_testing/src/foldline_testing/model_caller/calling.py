"""A conversation on a log in memory, with the real decisions and model caller, one delivery at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from pydantic import SecretStr

from agent_contracts import event_sources
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.log.subjects import parse_cancellation
from agent_contracts.questions.queries import Delta, QueryAnswer
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, Result
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import Catalogue, RunsOn, ToolSpec
from agent_domain.budgets.budgets import Budgets
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.prices import Price
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.log.event_message import event_message
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.session_domain.deciding import decide_all
from model_caller.answers.recording import Recorder
from model_caller.answers.thinking_kept import ThinkingTexts
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.cancelling import Cancellations
from model_caller.calls.cool_downs import CoolDowns
from model_caller.calls.fallback import Fallback
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.overflows import Overflows
from model_caller.calls.preparation import Preparation
from model_caller.calls.server_prober import ServerProber
from model_caller.calls.whole_texts import WholeTexts
from model_caller.calls.windows import Windows
from model_caller.choosing.model_choice import ModelChoice
from model_caller.handlers import ModelCaller
from model_caller.limits import ModelCallLimits
from model_caller.offering.made_things import MadeByAgents
from model_caller.offering.profile import Profiles
from model_caller.offering.workspace_shown import WorkspacesShown
from model_caller.providers.port import Provider
from model_caller.providers.sight import HttpSight
from model_caller.providers.vision import AUTO
from model_caller.settings import ModelCallerSettings
from session_domain.domain.cancellations import told_to_stop
from session_domain.domain.state import SessionState
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.pictures import PictureReader
from session_domain.model_requests.showing import RecordedModelCalls
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import FoldedSessions

AGENT = AgentId("default")
SESSION = SessionId("s_1")
KEY = SessionKey(AGENT, SESSION)
QUICK = ModelCallLimits(
    connect=2.0,
    first_token=5.0,
    first_token_at_home=5.0,
    silence=5.0,
    first_delay=0.01,
    longest_delay=0.05,
)
"""Limits for tests: as many attempts as usual, but soon after one another."""


PROBE_INTERVAL_S = 10.0


def choice_of(model: str, base_url: str | None = None, api_key: str | None = None) -> ModelChoice:
    """This model for everything."""
    return ModelChoice(model, model, model, model, "a test", base_url, api_key)


def settings_of(choice: ModelChoice, **more: Any) -> ModelCallerSettings:
    """What a model caller is told that is to choose this."""
    return ModelCallerSettings(
        model=choice.model,
        model_base_url=choice.base_url,
        model_api_key=None if choice.api_key is None else SecretStr(choice.api_key),
        model_low=choice.low,
        model_medium=choice.medium,
        model_high=choice.high,
        **more,
    )


class RecordingLive:
    """Keeps what was told at once, and passes cancellations on."""

    def __init__(self, cancellations: Cancellations) -> None:
        self.deltas: list[Delta] = []
        self._cancellations = cancellations

    async def publish(self, subject: str, data: bytes) -> None:
        """Send one message."""
        if subject.startswith("live.cancel."):
            self._cancellations.cancel(*parse_cancellation(subject, data))
        else:
            self.deltas.append(msgspec.json.decode(data, type=Delta))


class Requests:
    """Core NATS requests, which an engine takes note of."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bytes]] = []
        self.answer = QueryAnswer(value=1)

    async def request(self, subject: str, data: bytes = b"") -> StoredMessage:
        """The answer that the test set."""
        self.asked.append((subject, data))
        return StoredMessage(1, "", msgspec.json.encode(self.answer), {})


class FixedTools:
    """A `ToolSource` that a test sets."""

    def __init__(self, tools: tuple[ToolSpec, ...] = ()) -> None:
        self.now = tools

    async def tools(self) -> tuple[ToolSpec, ...]:
        """What the test set."""
        return self.now

    def packs(self) -> Mapping[str, Catalogue]:
        """See `ToolSource`: none."""
        return {}

    def families(self) -> Mapping[str, str]:
        """None says what it is for."""
        return {}


class FixedWorkforce:
    """A `ToolWorkers` in which everybody works, but whom a test takes away."""

    def __init__(self) -> None:
        self.absent: set[RunsOn] = set()

    async def works_on(self, runs_on: RunsOn) -> bool:
        """See `ToolWorkers`."""
        return runs_on not in self.absent


class Conversation:
    """One session. `clock` gives every event its time."""

    def __init__(
        self,
        provider: Provider,
        choice: ModelChoice,
        *,
        limits: ModelCallLimits = QUICK,
        tools: tuple[ToolSpec, ...] = (),
        clock: Clock | None = None,
        log: MemoryLog | None = None,
        blobs: MemoryBlobs | None = None,
        timezone: str = "Europe/Oslo",
        prices: dict[str, Price] | None = None,
        log_limit: int = 0,
        vision_models: str = AUTO,
        caps: Mapping[str, Any] | None = None,
        cool_downs: CoolDowns | None = None,
    ) -> None:
        self.log = log or MemoryLog()
        self.blobs = blobs or MemoryBlobs()
        self.tools = FixedTools(tools)
        self.clock = clock or SystemClock()
        self.entities = Entities(self.log, self.clock, event_sources.RUNNER)
        self.cancellations = Cancellations()
        self.live = RecordingLive(self.cancellations)
        before = ShownBefore(self.log)
        self.sessions = FoldedSessions(self.log, heard=before.heard)
        self.contexts = ModelContexts(self.blobs)
        self.shown = RecordedModelCalls(
            self.log, FoldedSessions(self.log), ModelContexts(self.blobs), self.blobs
        )
        self._deciding = FoldedSessions(self.log)
        self.settings = EffectiveSettings(
            self.entities,
            settings_of(
                choice, timezone=timezone, vision_models=vision_models, prices=prices or {}, **(caps or {})
            ),
        )
        self.workspaces = WorkspacesShown(self.entities, Workspaces(self.log))
        made = MadeByAgents(self.entities)
        profiles = Profiles(self.entities, made, self.tools, self.settings, self.workspaces)
        self._preparation = Preparation(
            self.sessions, profiles, self.contexts, before, PictureReader(self.blobs), Windows(provider)
        )
        remembering = AdaptationMemory(Entities(self.log, self.clock, event_sources.MODEL_CALLER), self.clock)
        self._asking = ModelAsker(provider, self.live, limits, learned=remembering.learned)
        self.cool_downs = cool_downs or CoolDowns()
        self.schedule = MemoryLog()
        self.requests = Requests()
        self.quota = DailyQuota(Bucket(MemoryLog(), subjects.QUOTAS_BUCKET), self.clock, log_limit)
        self.budgets = Budgets(Bucket(MemoryLog(), subjects.BUDGETS_BUCKET), self.clock)
        self.workforce = FixedWorkforce()
        self.probing = ServerProber(
            self.schedule, self.requests, HttpSight(), self.clock, interval_s=PROBE_INTERVAL_S
        )
        self.caller = self.new_caller(self.cancellations)
        self._seen = 0

    def new_caller(self, cancellations: Cancellations | None = None) -> ModelCaller:
        """Another model caller, as if in another process."""
        recorder = Recorder(self.log, self.clock)
        return ModelCaller(
            self.log,
            self._preparation,
            self._asking,
            recorder,
            cancellations or Cancellations(),
            self.probing,
            self.quota,
            self.budgets,
            self.workforce,
            Overflows(WholeTexts(Files(self.entities, self.blobs), Workspaces(self.log), self.blobs)),
            Fallback(self.cool_downs),
            ThinkingTexts(self.blobs),
            self.clock,
        )

    def forgets(self) -> None:
        """What the model caller remembers of the session is gone, as when its process begins anew."""
        self._preparation.forget(SESSION)

    async def begin(self, **changes: object) -> None:
        """The session comes into being."""
        created = inputs.Created(agent_id=AGENT, token_limit=1_000_000, title="t")
        await self.add(msgspec.structs.replace(created, **changes))

    async def add(self, event: Input | Result) -> int:
        """Append a fact from outside, without telling anyone."""
        message, _ = event_message(event, subject_of(event, KEY), origin_of(event), self.clock)
        return await self.log.append(message)

    async def say(self, text: str) -> None:
        """The user says something, and everyone works until nothing is left to do."""
        await self.add(inputs.UserMessage(text=text))
        await self.settle()

    async def settle(self, *, model: bool = True) -> None:
        """Deliver what is new to the engine and (with `model`) to the model caller until nothing is new."""
        while (message := await self.next_delivery()) is not None:
            kind = session_subjects.parse_session_subject(message.subject).rest
            if kind.startswith(("in.", "result")):
                await self._decide()
            elif kind.startswith("ev.model_call_requested") and model:
                await self.caller.handle(Delivery(message, 1))

    async def _decide(self) -> None:
        for decision in await decide_all(self.log, self._deciding, self.clock, KEY):
            stopped = told_to_stop(decision)
            if stopped is not None:
                await self.live.publish(subjects.cancel_subject(SESSION), stopped.encode())

    async def handle_request(self, attempt: int = 1) -> None:
        """Deliver the last model call request to the model caller, and nothing else."""
        await self.caller.handle(Delivery(await self.request(), attempt))

    async def next_delivery(self) -> StoredMessage | None:
        """The next message that nobody was told of yet."""
        async for message in self.log.read(subjects.ALL_SESSIONS, after=self._seen):
            self._seen = message.sequence
            return message
        return None

    async def events(self) -> list[RecordedEvent[SessionEvent]]:
        """The session's stream."""
        everything = self.log.read(KEY.everything)
        return [decode(m) async for m in everything]

    async def request(self) -> StoredMessage:
        """The last model call request."""
        found = [message async for message in self.log.read(subjects.MODEL_CALL_REQUESTS)]
        return found[-1]

    async def answers(self) -> list[ModelCallCompleted | ModelCallFailed]:
        """The results of model calls, in order."""
        kinds = (ModelCallCompleted, ModelCallFailed)
        return [recorded.event for recorded in await self.events() if isinstance(recorded.event, kinds)]

    async def state(self) -> SessionState:
        """The session folded over everything."""
        return await FoldedSessions(self.log).newest(KEY)

    async def failure(self) -> ev.TurnFailed | None:
        """How a turn failed, if one did."""
        for recorded in await self.events():
            if isinstance(recorded.event, ev.TurnFailed):
                return recorded.event
        return None
