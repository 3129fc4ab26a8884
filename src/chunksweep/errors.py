"""The errors that a user can cause, each one line: what was given, what is allowed, what to do.

    ChunksweepError            exit code 2
    ├── ConfigError            a key, option or value that cannot be
    ├── CorpusError            documents that cannot be read
    ├── QuestionsError         a questions file that cannot be used
    ├── ChunkingError          a strategy that cannot cut a document
    ├── EmbeddingError         a model that cannot be loaded or a vector that cannot be used
    │   └── EndpointError      a server that does not give the vectors that it is asked for
    ├── CacheError             an embedding cache that cannot be read or written
    ├── ScratchError           a folder for temporary files that cannot be written
    ├── TrackingError          a tracking store or a run that cannot be reached
    └── ReproduceError         a past run that cannot be run again

They are raised with the message alone, so they survive pickling between processes.
"""

from __future__ import annotations


class ChunksweepError(Exception):
    """Something the user can mend; `str(error)` is the one line that says how."""


class ConfigError(ChunksweepError):
    """A configuration that cannot be run."""


class CorpusError(ChunksweepError):
    """No document could be read, or one that is needed could not."""


class QuestionsError(ChunksweepError):
    """A questions file that is missing, malformed, empty, or quotes what is nowhere in the corpus."""


class ChunkingError(ChunksweepError):
    """A document that a strategy, or the library it uses, cannot cut into chunks that stand in it."""


class EmbeddingError(ChunksweepError):
    """A model whose files are missing or changed, or a vector that is zero or not finite."""


class EndpointError(EmbeddingError):
    """A server that cannot be reached, refuses, or answers with anything but a usable vector a text."""


class CacheError(ChunksweepError):
    """The embedding cache cannot be opened or written."""


class ScratchError(ChunksweepError):
    """The folder for temporary files cannot be written."""


class TrackingError(ChunksweepError):
    """The tracking store cannot be reached or written, or holds no such run or sweep."""


class ReproduceError(ChunksweepError):
    """The inputs of a past run have changed or cannot be found."""
