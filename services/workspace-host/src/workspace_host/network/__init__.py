"""How a command reaches the net: by a proxy of ours, request by request, or not at all."""
