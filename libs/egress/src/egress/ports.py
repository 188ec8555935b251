"""Ports at which other protocols are spoken: an HTTP request there is a line of commands to a server."""

_BROWSERS = frozenset(
    {
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179),
        *(389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636),
        *(989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566),
        *(6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    }
)
"""What browsers refuse: the bad ports of the WHATWG's Fetch standard."""
_SERVERS = frozenset({445, 1433, 1521, 1883, 3306, 3389, 4222, 5432, 5672, 5900, 6379, 6380, 11211, 27017})
"""What they leave out: file shares, databases, brokers, remote desktops. Redis and memcached skip what they
don't know of a request, and obey its next line."""
OTHER_PROTOCOLS = _BROWSERS | _SERVERS
