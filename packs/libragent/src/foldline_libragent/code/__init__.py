"""code, run once"""
