"""The port that the gateway listens on."""

from agent_contracts.errors import Rejected, Transient
from agent_platform.services.embedded.ports import free_port, is_free
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.sources import DEFAULT
from foldline.settings import UpSettings
from foldline.supervisor.readiness import Report

_PORTS_TRIED = 50


def gateway_port(everything: AllSettings, report: Report) -> int:
    """The gateway's port: the one that a person named, or from the default on the first that is free."""
    settings, source = everything.of(UpSettings), everything.sources["port"]
    wanted, host = settings.port, settings.host
    if wanted == 0:
        return free_port()
    if is_free(wanted, host):
        return wanted
    if source != DEFAULT:
        named = "--port" if source.kind == "given" else source
        raise Rejected(
            f"Can't listen on {host}:{wanted} (from {named}): another program does, or the address is not "
            "this machine's. Nothing is lost. Stop that program or name another port",
            kind="port_taken",
        )
    for port in range(wanted + 1, wanted + _PORTS_TRIED):
        if is_free(port, host):
            report("port", f"{port}, since {wanted} is taken; choose another by --port or FOLDLINE_PORT")
            return port
    raise Transient(f"Ports {wanted} to {wanted + _PORTS_TRIED - 1} on {host} are all taken: name another")
