"""Chromium"""
