"""A grid of configurations: expanded, composed, planned, executed and recorded."""
