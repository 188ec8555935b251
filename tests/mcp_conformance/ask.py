"""What the suite starts as a client: asks at the socket that it is given to go through the scenario at an
address, and fails with what it is answered. It imports little, so the suite may start many at once."""

import json
import os
import socket
import sys

asked = {"url": sys.argv[-1], "told": json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))}
with socket.socket(socket.AF_UNIX) as there:
    there.connect(sys.argv[1])
    there.sendall(json.dumps(asked).encode() + b"\n")
    with there.makefile() as answer:
        problem = answer.read()
sys.exit(problem or 0)
