"""Checks that one paper alone needs."""
