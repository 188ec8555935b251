"""What the projector is asked over NATS, answered from the tables."""
