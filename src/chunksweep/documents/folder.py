"""A folder or a file becomes a corpus: which files are read, and why others are not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from chunksweep.documents.decoding import UnreadableError, check_encoding
from chunksweep.documents.globs import matches_any
from chunksweep.documents.readers import kinds, reader_for
from chunksweep.errors import CorpusError
from chunksweep.records import Corpus, Document, Unread


def load_corpus(
    path: Path,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    encoding: str = "utf-8",
    questions: Path | None = None,
) -> Corpus:
    """Read a folder with all folders in it, or one file.

    include, exclude  globs on the document id, the path below `path` with forward slashes; with `include` only files
                      that match one of them are considered
    encoding          of files without a byte order mark
    questions         the questions file: no document where it lies in the folder, for it quotes every answer

    Files and folders whose name begins with a dot are passed over. A link is followed as long as it stays inside the
    folder. Whatever cannot be read is in `unread` with the reason.

    Raises ConfigError for an unknown encoding, CorpusError where the path does not exist or no document is readable.
    """
    check_encoding(encoding)
    try:
        path.stat()
    except OSError as error:
        raise CorpusError(
            f"corpus.path={path} {_refusal(error)}. Give a folder with {kinds()} files, or one such file."
        ) from error
    files = (item for item in _files(path) if isinstance(item, Unread) or not _is_same(item, questions))
    outcomes = tuple(_outcomes(files, path, include, exclude, encoding))
    documents = sorted((item for item in outcomes if isinstance(item, Document)), key=attrgetter("id"))
    unread = sorted((item for item in outcomes if isinstance(item, Unread)), key=attrgetter("document"))
    if not documents:
        raise CorpusError(_nothing_readable(path, include, exclude, unread))
    return Corpus(tuple(documents), tuple(unread))


def _outcomes(
    files: Iterable[Path | Unread], path: Path, include: Sequence[str], exclude: Sequence[str], encoding: str
) -> Iterator[Document | Unread]:
    for item in files:
        document_id = item.document if isinstance(item, Unread) else _document_id(item, path)
        if matches_any(document_id, exclude):
            continue
        if isinstance(item, Unread):
            yield item
        elif not include or matches_any(document_id, include):
            yield from _read(item, document_id, encoding)


def _document_id(file: Path, root: Path) -> str:
    """The path below the root; bytes of a name that are not UTF-8 are escaped, so that it can be printed and stored."""
    name = file.name if file == root else file.relative_to(root).as_posix()
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _is_same(file: Path, other: Path | None) -> bool:
    return other is not None and file.name == other.name and os.path.realpath(file) == os.path.realpath(other)


def _files(path: Path) -> Iterator[Path | Unread]:
    if path.is_dir():
        yield from _walk(path, path, (os.path.realpath(path),))
    else:
        yield path


def _walk(folder: Path, root: Path, above: tuple[str, ...]) -> Iterator[Path | Unread]:
    """The files below `folder`, and what is not followed.

    above  real paths from the root down to this folder; a link to one of them would never end
    """
    try:
        entries = [(entry, entry.is_dir()) for entry in sorted(folder.iterdir())]
    except OSError as error:
        yield Unread(_document_id(folder, root), _refusal(error))
        return
    for entry, is_folder in entries:
        if entry.name.startswith("."):
            continue
        is_link = entry.is_symlink()
        if not (is_link or is_folder):  # the usual case: nothing to resolve, which takes longer than to read the file
            yield entry
            continue
        target = os.path.realpath(entry)
        if is_link and not Path(target).is_relative_to(above[0]):
            yield Unread(_document_id(entry, root), "is a link that leads out of the corpus folder")
        elif target in above:
            yield Unread(_document_id(entry, root), "is a link to a folder that it lies in")
        elif is_folder:
            yield from _walk(entry, root, (*above, target))
        else:
            yield entry


def _read(file: Path, document_id: str, encoding: str) -> Iterator[Document | Unread]:
    """The document, and what of the file is not in it."""
    try:
        document = _document(file, document_id, encoding)
    except UnreadableError as error:
        yield Unread(document_id, str(error))
        return
    yield document
    for reason in document.unread:
        yield Unread(document_id, reason)


def _document(file: Path, document_id: str, encoding: str) -> Document:
    reader = reader_for(document_id)
    if reader is None:
        raise UnreadableError(f"is of a kind that is not read ({kinds()} are)")
    document = reader(_bytes(file), document_id, encoding)
    if not document.text.strip():
        raise UnreadableError("holds no text")
    return document


def _bytes(file: Path) -> bytes:
    if not file.is_file():  # a link to nothing, or a pipe, which would be waited for
        raise UnreadableError("is not a file")
    try:
        return file.read_bytes()
    except OSError as error:
        raise UnreadableError(_refusal(error)) from error


def _refusal(error: OSError) -> str:
    return f"cannot be opened ({error.strerror})"


def _nothing_readable(path: Path, include: Sequence[str], exclude: Sequence[str], unread: Sequence[Unread]) -> str:
    given = [f"corpus.path={path}"]
    given += [f"corpus.include={list(include)}"] if include else []
    given += [f"corpus.exclude={list(exclude)}"] if exclude else []
    why = (
        f"{len(unread)} unread, the first: {unread[0].document} {unread[0].reason}"
        if unread
        else "no file is considered"
    )
    return f"{' '.join(given)}: no document can be read, {why}. Give a folder with {kinds()} files, or one such file."
