"""What each peer is: the server beside it, the driver, and what they are told."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
_DRIVE = "import runpy; runpy.run_module('bench.peers.driver_foldline', run_name='__main__')"


class Ports(msgspec.Struct, frozen=True):
    """Free ones, for a runtime's server and what it serves."""

    server: int
    admin: int
    node: int
    service: int


class Runtime(msgspec.Struct, frozen=True):
    """One peer, over `data`. `server` is None where it has none; `ready` an address that answers when it has
    begun."""

    driver: list[str]
    server: list[str] | None
    env: dict[str, str]
    ready: int | None


def runtime(name: str, scratch: Path, data: Path, ports: Ports) -> Runtime:
    """A peer by its name. `scratch` is the environment that `environment.py` made."""
    python = str(scratch / "venv" / "bin" / "python")
    nats = [sys.executable, "-m", "bench.peers.nats_server", str(ports.server), str(data)]
    url = f"nats://127.0.0.1:{ports.server}"
    match name:
        case "foldline":
            env = {"FOLDLINE_PEER_NATS": url}
            return Runtime([sys.executable, "-c", _DRIVE], nats, _env(data, env), ports.server)
        case "floor":
            driver = [sys.executable, str(HERE / "driver_floor.py")]
            return Runtime(driver, nats, _env(data, {"PEERS_SERVER": url}), ports.server)
        case "langgraph":
            return Runtime([python, str(HERE / "driver_langgraph.py")], None, _env(data, {}), None)
        case "restate":
            return _restate(scratch, data, ports, [python, str(HERE / "driver_restate.py")])
        case _:
            raise ValueError(f"no peer {name}")


NAMES = ("foldline", "floor", "langgraph", "restate")


def _restate(scratch: Path, data: Path, ports: Ports, driver: list[str]) -> Runtime:
    servers = scratch.glob("node/node_modules/@restatedev/restate-server-*/bin/restate-server")
    server = next(servers, None)
    if server is None:
        raise RuntimeError("Restate's npm package has no server for this machine")
    env = {
        "PEERS_SERVER": f"http://127.0.0.1:{ports.server}",
        "PEERS_ADMIN": f"http://127.0.0.1:{ports.admin}",
        "PEERS_SERVICE_PORT": str(ports.service),
        "RESTATE_BASE_DIR": str(data),
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ports.server}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{ports.admin}",
        "RESTATE_BIND_ADDRESS": f"127.0.0.1:{ports.node}",
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RUST_LOG": "warn",
    }
    return Runtime(driver, [str(server)], _env(data, env), ports.admin)


def _env(data: Path, more: Mapping[str, str]) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{HERE}",
        "PEERS_DATA": str(data),
        **more,
    }
