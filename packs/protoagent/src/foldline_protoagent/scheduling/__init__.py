"""what runs at its times"""
