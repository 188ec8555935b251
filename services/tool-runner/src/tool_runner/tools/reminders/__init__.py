"""come back to this session later"""
