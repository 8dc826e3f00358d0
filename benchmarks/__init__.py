"""Measurements as ratios in one run: `python -m benchmarks` (docs/performance.md has the bars)."""
