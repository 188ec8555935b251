"""What Chromium gives up before it is started. Standard library only: a bare interpreter runs it."""
