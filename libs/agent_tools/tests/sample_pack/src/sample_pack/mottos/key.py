"""Where mottos are kept."""

KEY = "mottos"
