"""Which probe comes next in a bisection, and what it all says. Pure: any gateway goes on for another."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.bisections import Bisection, BisectionStatus, Probe, Run


class Look(msgspec.Struct, frozen=True):
    """Run the check once more against the agent as of event `at`."""

    at: int
    run: int


class Ended(msgspec.Struct, frozen=True):
    """It is over."""

    status: BisectionStatus
    first_bad: int | None = None
    reason: str | None = None


def next_step(found: Bisection, places: Sequence[int]) -> Look | Ended:
    """What is to be done, given the agent's events in question, in order.

    The ends come first: that the check fails at the last event, then that it holds where the search begins.
    If it fails there too, a place where it holds is looked for backwards from the end, in growing steps.
    """
    known = {probe.at: probe for probe in found.probes}
    end = places[-1] if places else found.up_to
    now = _holds(known, end)
    if now is None:
        return _look(known, end)
    if now:
        return Ended("not_found", reason=f"The check holds after event {found.up_to}: nothing is spoilt.")
    good, bad = 0, len(places)
    began = _holds(known, found.after)
    if began is None:
        return _look(known, found.after)
    if not began:
        back = 1
        while back < len(places) and (good := len(places) - back):
            holds = _holds(known, places[good - 1])
            if holds is None:
                return _look(known, places[good - 1])
            if holds:
                break
            bad, back = good, 2 * back
        else:
            return Ended("not_found", reason=_failed_everywhere(known))
    while bad - good > 1:
        middle = (good + bad) // 2
        holds = _holds(known, places[middle - 1])
        if holds is None:
            return _look(known, places[middle - 1])
        good, bad = (middle, bad) if holds else (good, middle)
    if not places:
        return Ended("not_found", reason="The answers differ although nothing of the agent does.")
    return Ended("found", places[bad - 1])


def most_probes(events: int) -> int:
    """How many probes a search among so many events takes at most: the ends, backwards, and by halves."""
    return 2 + 2 * max(0, events - 1).bit_length()


def with_run(found: Bisection, at: int, run: Run) -> Bisection:
    """The same with one more run of the check."""
    probes = list(found.probes)
    for number, probe in enumerate(probes):
        if probe.at == at:
            probes[number] = Probe(at, (*probe.runs, run))
            break
    else:
        probes.append(Probe(at, (run,)))
    return msgspec.structs.replace(found, probes=tuple(probes))


def _failed_everywhere(known: dict[int, Probe]) -> str:
    tested = ", ".join(str(at) for at in sorted(known))
    return (
        f"The check failed after each event that was tested: {tested}. Others were not tested. Name an event "
        "after which it held (--good), or check that the check itself is right."
    )


def _holds(known: dict[int, Probe], at: int) -> bool | None:
    return known[at].holds if at in known else None


def _look(known: dict[int, Probe], at: int) -> Look:
    return Look(at, len(known[at].runs) if at in known else 0)
