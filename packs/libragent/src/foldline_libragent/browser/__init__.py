"""pages of a browser, by session id"""
