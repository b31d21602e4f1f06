"""Rules of language and form, below everything that remembers: this package imports nothing of the others."""
