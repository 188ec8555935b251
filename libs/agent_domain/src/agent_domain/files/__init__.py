"""Files of agents: the rules, and what is done to them over entities and blobs."""
