"""commands and code"""
