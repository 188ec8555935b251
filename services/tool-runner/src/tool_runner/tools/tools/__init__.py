"""your own"""
