"""A person's yes or no to what an agent asks for."""
