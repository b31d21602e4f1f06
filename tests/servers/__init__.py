"""Servers the suite talks to over loopback instead of the world; each also runs by hand."""
