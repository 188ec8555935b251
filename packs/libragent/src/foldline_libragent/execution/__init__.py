"""commands and programs"""
