"""A container's health check: exit code 0 if the service at a port of this container says that it lives.

    python healthy.py PORT

It asks /healthz, not /readyz: whoever restarts unhealthy containers shall not do so while a server is away
for a moment.
"""

import sys
import urllib.error
import urllib.request


def main(port: str) -> int:
    """0 for a 200, else 1 with the reason on standard error."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=4):
            return 0
    except urllib.error.HTTPError as error:
        print(error.code, error.read(2000).decode(errors="replace"), file=sys.stderr)
    except OSError as error:
        print(f"no answer at port {port}: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
