"""What every chunker promises, and trials of one on documents that are hard to cut."""
