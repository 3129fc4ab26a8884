"""What may be concluded from a grid: pure functions of per-question values, and the sentences that say it."""
