"""chunksweep measures how to split documents for retrieval, on one's own documents and questions."""

from __future__ import annotations

__version__ = "0.1.0"
