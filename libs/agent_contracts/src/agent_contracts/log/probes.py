"""Probes of a model server that failed calls: is it there again? Set like timers, by message schedules."""

import msgspec

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import check_id
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.timers import schedule


class ModelProbe(msgspec.Struct, frozen=True, omit_defaults=True):
    """The next probe of the server at which `model` (as provider/model) is asked.

    `slot` counts intervals since 1970: any number of model callers set one probe in each. `silent`: the
    server was seen not to answer. `waited_for`: at the probe before, a failed turn waited for it. `base_url`
    is the server's address, without user and password, where it isn't the provider's own. `failed_at`: when
    a call failed there first, in seconds since 1970.
    """

    server: str
    model: str
    slot: int
    silent: bool = False
    waited_for: bool = True
    base_url: str | None = None
    failed_at: float = 0.0

    @property
    def subject(self) -> str:
        """Where it is set, in place of what was set there before."""
        return subjects.model_probe_subject(self.server)

    def headers(self, due_at: str) -> dict[str, str]:
        """What makes the server tell of it at `due_at`, and the log drop a second one like it."""
        mark = f"probe.{self.server}.{self.slot}.{self.silent:d}{self.waited_for:d}"
        return {**schedule(due_at, subjects.model_probe_due_subject(self.server)), MESSAGE_ID: mark}


def encode_probe(probe: ModelProbe) -> bytes:
    """A probe's body: JSON."""
    return msgspec.json.encode(probe)


def decode_probe(subject: str, data: bytes) -> ModelProbe:
    """The probe that came due on `subject`; `Permanent` if it is none, or of another server."""
    try:
        probe = msgspec.json.decode(data, type=ModelProbe)
        check_id(probe.server, "server")
    except (msgspec.DecodeError, UnicodeDecodeError, Rejected) as error:
        raise Permanent(f"not a probe of a model server: {error}", kind="bad_probe") from error
    if subject != subjects.model_probe_due_subject(probe.server):
        raise Permanent(f"a probe of {probe.server} came due on {subject}", kind="bad_probe")
    return probe
