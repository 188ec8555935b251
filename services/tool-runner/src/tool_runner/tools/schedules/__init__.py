"""work at set times, in sessions of its own"""
