"""Documents: files of a folder become texts with a title and sections.

One reader a kind of file, each `read(text, document_id) -> Document`; readers.py finds it by the ending of the file's
name. markdown.py and plain.py leave the text as it stands; html.py writes its own with writing.py.
"""

from chunksweep.documents.folder import load_corpus

__all__ = ["load_corpus"]
