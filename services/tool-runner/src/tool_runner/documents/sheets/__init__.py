"""Workbooks and tables of text."""
