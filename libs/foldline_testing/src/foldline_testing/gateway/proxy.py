"""For tests: a reverse proxy of a few lines, which puts the gateway below a path."""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


@contextmanager
def below(url: str, prefix: str, *, strips: bool = True, says: bool = True) -> Iterator[str]:
    """The address at which `url` is found below `prefix`. `strips`: whether the proxy takes the prefix off;
    `says`: whether it names it in `X-Forwarded-Prefix`. Anything outside of the prefix is a 502."""
    target = urlsplit(url)

    class Proxied(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            first = self.rfile.readline().decode("latin-1")
            lines = []
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                if not line.lower().startswith(b"connection:"):
                    lines.append(line)
            method, _, rest = first.partition(" ")
            if not rest.startswith(f"{prefix}/"):
                self.wfile.write(b"HTTP/1.1 502 Outside\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                return
            if says:
                lines.append(f"X-Forwarded-Prefix: {prefix}\r\n".encode())
            path = rest.removeprefix(prefix) if strips else rest
            with socket.create_connection((target.hostname, target.port)) as to:
                to.sendall(b"".join([f"{method} {path}".encode("latin-1"), *lines]))
                to.sendall(b"Connection: close\r\n\r\n")
                threading.Thread(target=self._pass_body, args=(to,), daemon=True).start()
                while data := to.recv(65536):
                    self.wfile.write(data)

        def _pass_body(self, to: socket.socket) -> None:
            with contextlib.suppress(OSError):  # whoever has its answer says no more
                while data := self.rfile.read1(65536):
                    to.sendall(data)

        def finish(self) -> None:
            with contextlib.suppress(OSError):  # a browser that left
                super().finish()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A browser that leaves a stream is no fault of the test."""

    with Server(("127.0.0.1", 0), Proxied) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}{prefix}/"
        finally:
            server.shutdown()
            thread.join()
