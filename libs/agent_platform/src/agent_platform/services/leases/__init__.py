"""Who holds what only one process can: leases in a bucket, and work that is handed off to their holder."""
