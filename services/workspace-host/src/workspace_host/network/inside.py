"""The first program in a command's own network: it makes a door at the loopback there, hands that to the
proxy outside, and becomes the command. Nothing of it stays: what is dialled at that port, we accept.

It is run as a text by a bare Python, so it imports the standard library alone.
"""

import os
import socket
import sys

_WAITING = 64


def main() -> None:
    """`argv` is the port, the number of the socket by which the door is handed over, and the command."""
    port, outside, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with (
        socket.create_server(("127.0.0.1", port), backlog=_WAITING) as door,
        socket.socket(fileno=outside) as hands,
    ):
        socket.send_fds(hands, [b"d"], [door.fileno()])
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
