"""the web"""
