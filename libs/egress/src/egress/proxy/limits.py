"""What the proxy lends to one program."""

CONNECTIONS = 1024
"""At a time. A context of Chromium's opens 32 through one proxy."""
HEAD = 64 * 1024
"""Bytes of a request's or an answer's line and headers."""
CHUNK = 64 * 1024
"""Bytes in hand, each way, for each connection."""
HEAD_S = 60.0
"""Until a connection has sent its (next) request, in seconds."""
IDLE_S = 300.0
"""Without a byte either way, in seconds."""
LINGER_S = 1.0
"""After a refusal, for what is still being sent."""
REFUSED_TIMES = 2
"""Times its connections; what is more is closed without a word."""
