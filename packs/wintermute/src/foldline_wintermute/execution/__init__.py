"""commands and files of this workspace"""
