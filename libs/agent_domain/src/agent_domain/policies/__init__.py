"""What an agent may do: what its policy says of a call, and of a request that leaves."""
