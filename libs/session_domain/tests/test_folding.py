"""The past as the log has it: a look back ends where no call was open."""

import msgspec
import pytest

from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import inputs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_domain.messages import AGENT, as_message
from foldline_testing.session_domain.story import SESSION, Story, answers, done, says, story, wants
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.state import SessionState
from session_domain.folding import NewestFolds, SavedFolds, at_rest

KEY = SessionKey(AGENT, SESSION)


def told() -> Story:
    """Two turns, the second with calls; back to the first; another; and back to before that."""
    it = story().given(says("one"))
    it.given(answers(it, "re: one"))
    first = it.state.last_sequence
    it.given(says("two"))
    it.given(answers(it, "", [wants(it, "look"), wants(it, "see", 1)]))
    calls = [call.call_id for call in it.state.batch]
    it.given(done(calls[0]))
    it.given(done(calls[1]))
    it.given(answers(it, "seen"))
    second = it.state.last_sequence
    it.given(inputs.RewindRequested(to=first, parts=("conversation",)))
    it.given(says("three"))
    it.given(answers(it, "re: three"))
    it.given(inputs.RewindRequested(to=second, parts=("conversation",)))
    return it


async def logged(it: Story) -> MemoryLog:
    log = MemoryLog()
    for recorded in it.recorded:
        while await log.last_sequence() < recorded.sequence - 1:  # other sessions write too
            await log.append(NewMessage("ses.default.0.s_other.in.x", b"", {}))
        assert await log.append(as_message(recorded.event, recorded.envelope, SESSION)) == recorded.sequence
    return log


class Saved:
    """Folds of the past that were kept, every third."""

    def __init__(self, folds: list[SessionState]) -> None:
        self._folds = folds[::3]

    async def before(self, key: SessionKey, sequence: int) -> SessionState | None:
        return max(
            (one for one in self._folds if one.last_sequence <= sequence),
            key=lambda one: one.last_sequence,
            default=None,
        )


@pytest.mark.parametrize("saved", [False, True])
async def test_at_each_event_it_is_the_last_point_before_at_which_no_call_was_open(saved: bool) -> None:
    it = told()
    log = await logged(it)
    folds = [it.at(one.sequence) for one in it.recorded]
    assert any(one.open_calls() for one in folds), "it has calls to pass over"
    assert any(one.model_call is not None for one in folds)
    begun: SavedFolds = Saved(folds)
    rests = [one for one in folds if one.model_call is None and not one.open_calls()]
    for now in folds:
        wanted = [one for one in rests if one.last_sequence <= now.last_sequence][-1]
        found = await at_rest(log, KEY, now.last_sequence, *([begun] if saved else []))
        assert found == wanted, now.last_sequence


def test_two_who_follow_a_session_fold_it_once_and_get_one_and_the_same() -> None:
    it = told()
    newest = NewestFolds(most=3)
    before, recorded = it.at(it.recorded[1].sequence), it.recorded[2]
    after = newest.evolve(before, recorded)
    assert after == evolve(before, recorded)
    copy = msgspec.structs.replace(before)
    assert newest.evolve(copy, recorded) is after
    other = msgspec.structs.replace(before, title="another")
    assert newest.evolve(other, recorded).title == "another"  # where it isn't the same session before
    assert newest.evolve(before, msgspec.structs.replace(recorded)) is not after
    newest.forget(SESSION)
    assert newest.evolve(before, recorded) is not after
