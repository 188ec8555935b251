"""shell commands and Python in a folder with the session's files"""
