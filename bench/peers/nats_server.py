"""Becomes the nats-server of a peers turn, configured as `foldline up` configures its own.

    python -m bench.peers.nats_server PORT FOLDER

Writes configuration and passwords to FOLDER, then replaces this process by the server.
"""

import os
import sys
from pathlib import Path

from agent_platform.nats.users import ADMIN, nats_users
from agent_platform.services.discovery import discover, rights_of
from agent_platform.services.embedded.nats_config import NatsOptions, render
from agent_platform.services.embedded.nats_server import find_nats_server
from agent_platform.services.embedded.passwords import ensure_passwords
from agent_platform.services.embedded.ports import free_port

PASSWORDS = "passwords.json"


def main(port: int, folder: Path) -> None:
    """Never returns."""
    rights = rights_of(discover())
    passwords = ensure_passwords(folder / PASSWORDS, (ADMIN, *rights)).nats
    config = folder / "nats.conf"
    options = NatsOptions(port, free_port(), folder / "js", sync="always")
    config.touch(mode=0o600)
    config.write_text(render(options, nats_users(rights, passwords)))
    server = find_nats_server()
    os.execv(server, [server, "-c", str(config)])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
