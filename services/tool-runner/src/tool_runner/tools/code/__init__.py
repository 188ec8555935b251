"""code that runs once"""
