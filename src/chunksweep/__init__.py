"""Measure how to split documents for retrieval."""
