"""The proxy through which all of Chromium's connections go, by the rules of the way out."""
