"""The tools of protoAgent, by their own names, arguments and texts."""
