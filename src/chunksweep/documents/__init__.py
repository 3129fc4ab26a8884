"""Documents: files of a folder become texts with a title and sections.

One reader a kind of file (markdown.py, plain.py), each `read(text, document_id) -> Document`; readers.py finds it by
the ending of the file's name.
"""

from chunksweep.documents.folder import load_corpus

__all__ = ["load_corpus"]
