"""Which probe comes next in a bisection, and what it all says. Pure: any gateway goes on for another."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from agent_contracts.entities.bisections import Bisection, BisectionStatus, CheckRun, Probe

_MORE_PLACES = 4
"""Places that are tried where no growing step came to one at which the check holds."""


class ProbeStep(msgspec.Struct, frozen=True):
    """Run the check once more against the agent as of event `at`."""

    at: int
    run: int


class BisectionEnd(msgspec.Struct, frozen=True):
    """It is over."""

    status: BisectionStatus
    first_bad: int | None = None
    reason: str | None = None


def next_step(found: Bisection, places: Sequence[int]) -> ProbeStep | BisectionEnd:
    """What is to be done, given the agent's events in question, in order.

    The ends come first: that the check fails at the last event, then that it holds where the search begins.
    If it fails there too, a place where it holds is looked for: backwards from the end in growing steps, then
    in the middle of what is widest untested.
    """
    known = {probe.at: probe for probe in found.probes}
    end = places[-1] if places else found.up_to
    now = _holds(known, end)
    if now is None:
        return _look(known, end)
    if now:
        return BisectionEnd(
            "not_found", reason=f"The check holds after event {found.up_to}: nothing is spoilt."
        )
    good, bad = 0, len(places)
    began = _holds(known, found.after)
    if began is None:
        return _look(known, found.after)
    if not began:
        failed = [bad]
        for good in _further_places(len(places)):
            holds = _holds(known, places[good - 1])
            if holds is None:
                return _look(known, places[good - 1])
            if holds:
                break
            failed.append(good)
        else:
            return BisectionEnd("not_found", reason=_failed_everywhere(known, places))
        bad = min(at for at in failed if at > good)
    while bad - good > 1:
        middle = (good + bad) // 2
        holds = _holds(known, places[middle - 1])
        if holds is None:
            return _look(known, places[middle - 1])
        good, bad = (middle, bad) if holds else (good, middle)
    if not places:
        return BisectionEnd("not_found", reason="The answers differ although nothing of the agent does.")
    return BisectionEnd("found", places[bad - 1])


def most_probes(events: int) -> int:
    """How many probes a search among so many events takes at most.

    The ends, backwards, some places more, and by halves; never more than there are places.
    """
    return min(2 + 2 * max(0, events - 1).bit_length() + _MORE_PLACES, events + 1)


def _further_places(events: int) -> Iterator[int]:
    """After how many of the events the check is tried where it fails at both ends, in order."""
    tried = [0, events]
    back = 1
    while back < events:
        tried.insert(1, events - back)
        yield events - back
        back *= 2
    for _ in range(_MORE_PLACES):
        width, low = max((high - low, low) for low, high in pairwise(tried))
        if width < 2:
            return
        tried = sorted([*tried, low + width // 2])
        yield low + width // 2


def with_run(found: Bisection, at: int, run: CheckRun) -> Bisection:
    """The same with one more run of the check."""
    probes = list(found.probes)
    for number, probe in enumerate(probes):
        if probe.at == at:
            probes[number] = Probe(at, (*probe.runs, run))
            break
    else:
        probes.append(Probe(at, (run,)))
    return msgspec.structs.replace(found, probes=tuple(probes))


def _failed_everywhere(known: dict[int, Probe], places: Sequence[int]) -> str:
    tested = ", ".join(str(at) for at in sorted(known))
    others = "" if all(place in known for place in places) else " Others were not tested."
    return (
        f"The check failed after each event that was tested: {tested}.{others} Name an event after which it "
        "held (--good), or check that the check itself is right."
    )


def _holds(known: dict[int, Probe], at: int) -> bool | None:
    return known[at].holds if at in known else None


def _look(known: dict[int, Probe], at: int) -> ProbeStep:
    return ProbeStep(at, len(known[at].runs) if at in known else 0)
