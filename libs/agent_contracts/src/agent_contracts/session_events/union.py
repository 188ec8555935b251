"""The closed set of session events."""

from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import CallClaimed, Result

SessionEvent = Input | Decision | Result | CallClaimed
"""Everything that can stand in a session's stream."""
