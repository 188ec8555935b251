"""What a power cut leaves of a server's files: traced while it runs, then laid out anew for any moment."""
