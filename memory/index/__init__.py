"""The index that recall searches: one user's columns, postings and vectors in memory, fed by rows of any database."""
