"""What a foreign program gives up before it is started. Standard library only: a bare interpreter runs it."""
