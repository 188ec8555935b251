"""`python -m foldline` is the command `foldline`."""

from foldline.cli.main import app

app()
