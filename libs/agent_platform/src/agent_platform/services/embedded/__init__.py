"""The servers that Foldline brings along: NATS and Postgres, started as children, stopped with it."""
