"""What a sweep looks like: tables in the terminal, names of configurations, JSON."""
