"""The folders that commands run in, and the files that they are laid out from."""
