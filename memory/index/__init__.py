"""The index that recall searches, in memory and fed by rows of any database."""
