"""read, make, fill in"""
