"""by which Foldline tests itself"""
