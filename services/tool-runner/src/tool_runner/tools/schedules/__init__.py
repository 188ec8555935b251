"""in new sessions"""
