"""What the tests of this pack share; not part of what is installed."""
