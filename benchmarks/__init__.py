"""What a sweep costs beside the usual ways, and beside what the machine could do at best: `python -m benchmarks`."""
