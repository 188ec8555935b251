"""the files of this session, by path"""
