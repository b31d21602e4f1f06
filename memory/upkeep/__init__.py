"""Flow 3: time passes. Every night weights, levels, reviews, merges, purges, and a report of it."""
