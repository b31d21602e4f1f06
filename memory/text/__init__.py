"""Rules of language and form, below everything that remembers: this imports nothing of it."""
