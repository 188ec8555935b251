"""What only a fold can tell of a session: its state at any event, and what a model saw."""

from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.address import Address
from agent_contracts.questions.queries import MODEL_CALL, ModelCallQuery
from agent_contracts.sessions.session_view import SessionView
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.ports import Questions
from gateway.operations.sessions.past_sessions import PastSessions


class Folds:
    """Asks the session engine. `Rejected(kind="not_found")` where there is nothing of what is asked for."""

    def __init__(self, directory: SessionDirectory, past: PastSessions, questions: Questions) -> None:
        self._directory = directory
        self._past = past
        self._questions = questions

    async def state(
        self, session_id: SessionId, at: Address | None = None, messages: int | None = None
    ) -> SessionView:
        """The session folded up to `at` (None: now), with the newest so many messages (None: all)."""
        await self._directory.find(session_id)
        return await self._past.state(session_id, at, messages)

    async def model_call(self, session_id: SessionId, call: int | CallId) -> Json:
        """Exactly what a model saw and said in a call: by its number in the session, from 1, or by its id."""
        await self._directory.find(session_id)
        number, call_id = (call, None) if isinstance(call, int) else (None, call)
        query = ModelCallQuery(session_id=session_id, call_id=call_id, number=number)
        return await self._questions.ask(MODEL_CALL, query)
