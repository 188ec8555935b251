"""One Chromium in its cage: found, started behind the proxy, watched, ended."""
