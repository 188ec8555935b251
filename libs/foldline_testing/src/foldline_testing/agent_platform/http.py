"""HTTP in tests: from and to this machine, never with TLS."""

import ssl
from typing import Final

NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For httpx's `verify`: a client that needs no TLS. By itself each client reads the certificates of all known
authorities, which takes a fortieth of a second of a processor."""
