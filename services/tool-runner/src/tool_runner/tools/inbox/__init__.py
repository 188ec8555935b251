"""what other services left for you to look at"""
