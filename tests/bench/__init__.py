"""Benchmarks, run by hand: `python -m tests.bench.latency`, `python -m tests.bench.recall --data DIR`."""
