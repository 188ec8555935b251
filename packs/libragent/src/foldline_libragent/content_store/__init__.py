"""texts kept in stores, found by words or by meaning"""
