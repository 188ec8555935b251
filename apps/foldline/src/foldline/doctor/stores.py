"""Whether what is stored beside the log is there: blobs by the events that name them, other streams by what
they held before."""

from agent_domain.checking.blobs import lost_blobs
from agent_platform.log.sealing.stores import KEYS, REACH, lost_of_stores
from agent_platform.nats.connection import Connection
from foldline.doctor.finding import Finding, ok, problem

_ACCEPT = "To go on without what is lost: stop it, then foldline up --accept-loss"


async def blobs(admin: Connection) -> Finding:
    """Reads the log, and every blob that it names."""
    loss = await lost_blobs(admin)
    if loss:
        text = f"{loss}. Exports and pages go on without them"
        return problem("blobs", text, f"restore a backup (foldline restore). {_ACCEPT}")
    return ok("blobs", f"{loss.checked} that events name, all there and as they were stored")


async def stores(admin: Connection) -> Finding:
    """Keys, waiting timers and wakes: what nothing else tells of."""
    losses = await lost_of_stores(admin)
    if losses:
        to_do = "; ".join(dict.fromkeys(loss.to_do for loss in losses))
        text = "; ".join(map(str, losses))
        return problem("stores", text, f"restore a backup (foldline restore), or: {to_do}. {_ACCEPT}")
    return ok("stores", f"{len(KEYS) + len(REACH)} streams beside the log lack nothing that they had before")
