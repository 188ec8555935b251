"""a board of things to do"""
