"""A folder becomes a corpus: what is read, what is not and why."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chunksweep.documents import load_corpus
from chunksweep.documents.readers import kinds
from chunksweep.errors import ConfigError, CorpusError
from chunksweep.records import Unread


@pytest.fixture
def folder(tmp_path):
    """Writes files: the text or bytes of each by its path."""
    root = tmp_path / "docs"
    root.mkdir()

    def write(**files):
        return fill(root, files)

    return write


def fill(root, files):
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def ids(corpus):
    return [document.id for document in corpus.documents]


def unread(corpus):
    return {item.document: item.reason for item in corpus.unread}


def test_documents_come_in_the_order_of_their_ids(folder):
    root = folder(**{"b.md": "x", "a/z.txt": "x", "a.txt": "x", "B.markdown": "x", "a/b/c.MD": "x"})
    assert ids(load_corpus(root)) == ["B.markdown", "a.txt", "a/b/c.MD", "a/z.txt", "b.md"]


def test_equal_names_and_texts_in_two_folders_are_two_documents(folder):
    corpus = load_corpus(folder(**{"new/p.md": "The key is 93.", "old/p.md": "The key is 93."}))
    assert ids(corpus) == ["new/p.md", "old/p.md"]
    assert len(set(corpus.digests.values())) == 1


def test_one_file_is_a_corpus(folder):
    root = folder(**{"a.md": "# Kiln\nhot", "b.md": "x"})
    corpus = load_corpus(root / "a.md")
    assert [(document.id, document.title) for document in corpus.documents] == [("a.md", "Kiln")]


def test_hidden_files_and_folders_are_passed_over(folder):
    corpus = load_corpus(folder(**{"a.md": "x", ".b.md": "x", ".git/c.md": "x", "d/.e/f.md": "x"}))
    assert ids(corpus) == ["a.md"]
    assert corpus.unread == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "holds no text", id="empty"),
        pytest.param(b" \r\n\t\xc2\xa0\n", "holds no text", id="blank"),
        pytest.param(
            b"ok \xff no", "is not utf-8 at byte 3: set corpus.encoding to the encoding it has", id="wrong bytes"
        ),
        pytest.param(
            b"key \x005 and \x009",
            "holds 2 NUL characters: it is binary or damaged, or corpus.encoding is not the encoding it has",
            id="NULs",
        ),
        pytest.param(
            b"\x00",
            "holds 1 NUL character: it is binary or damaged, or corpus.encoding is not the encoding it has",
            id="one NUL",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(folder, content, reason):
    corpus = load_corpus(folder(**{"good.md": "x", "sub/bad.txt": content}))
    assert ids(corpus) == ["good.md"]
    assert corpus.unread == (Unread("sub/bad.txt", reason),)


def test_unknown_kinds_are_unread(folder):
    corpus = load_corpus(folder(**{"a.md": "x", "b.png": b"PNG", "README": "x"}))
    reason = f"is of a kind that is not read ({kinds()} are)"
    assert unread(corpus) == {"README": reason, "b.png": reason}


def test_a_marked_file_in_another_encoding_is_read(folder):
    corpus = load_corpus(
        folder(**{"a.txt": "\ufeffGröße.\r\n".encode("utf-16-le"), "b.txt": "Größe.\r".encode("cp1252")}),
        encoding="cp1252",
    )
    assert [document.text for document in corpus.documents] == ["Größe.\n", "Größe.\n"]


@pytest.mark.parametrize(
    ("include", "exclude", "read", "not_read"),
    [
        pytest.param([], [], ["a.md", "g/b.md", "g/h/c.txt"], ["g/d.png"], id="all"),
        pytest.param(["**/*.md"], [], ["a.md", "g/b.md"], [], id="include drops what it does not name"),
        pytest.param(["g/**"], [], ["g/b.md", "g/h/c.txt"], ["g/d.png"], id="and reports what it does name"),
        pytest.param([], ["g/h/**", "**/*.png"], ["a.md", "g/b.md"], [], id="exclude"),
        pytest.param(["*.md", "g/*.md"], ["g/**"], ["a.md"], [], id="exclude wins"),
    ],
)
def test_include_and_exclude(folder, include, exclude, read, not_read):
    root = folder(**{"a.md": "x", "g/b.md": "x", "g/h/c.txt": "x", "g/d.png": b"PNG"})
    corpus = load_corpus(root, include, exclude)
    assert (ids(corpus), list(unread(corpus))) == (read, not_read)


def test_links_that_lead_out_are_not_followed(folder, tmp_path):
    root = folder(**{"a.md": "x"})
    fill(tmp_path / "away", {"secret.md": "x"})
    (root / "file.md").symlink_to(tmp_path / "away" / "secret.md")
    (root / "folder").symlink_to(tmp_path / "away")
    corpus = load_corpus(root)
    reason = "is a link that leads out of the corpus folder"
    assert ids(corpus) == ["a.md"]
    assert unread(corpus) == {"file.md": reason, "folder": reason}


def test_links_inside_are_followed_but_not_round_in_circles(folder):
    root = folder(**{"real/a.md": "x"})
    (root / "other").symlink_to(root / "real")
    (root / "again.md").symlink_to(root / "real" / "a.md")
    (root / "real" / "up").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    corpus = load_corpus(root, exclude=["self"])
    reason = "is a link to a folder that it lies in"
    assert ids(corpus) == ["again.md", "other/a.md", "real/a.md"]
    assert unread(corpus) == {"other/up": reason, "real/up": reason}


def test_the_corpus_itself_may_be_a_link(folder, tmp_path):
    root = folder(**{"a.md": "x"})
    (tmp_path / "docs-link").symlink_to(root)
    assert ids(load_corpus(tmp_path / "docs-link")) == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_not_waited_for(folder):
    root = folder(**{"a.md": "x"})
    os.mkfifo(root / "pipe.md")
    (root / "gone.md").symlink_to(root / "nothing")
    assert unread(load_corpus(root)) == {"gone.md": "is not a file", "pipe.md": "is not a file"}


def test_what_the_system_refuses_is_unread(folder, monkeypatch):
    root = folder(**{"a.md": "x", "b.md": "x", "locked/c.md": "x"})
    refuse(monkeypatch, "read_bytes", "b.md")
    refuse(monkeypatch, "iterdir", "locked")
    reason = "cannot be opened (Permission denied)"
    assert unread(load_corpus(root)) == {"b.md": reason, "locked": reason}


def refuse(monkeypatch, method, name):
    """Let one method of paths fail for one name, as permissions do for all but the superuser."""
    original = getattr(Path, method)

    def refusing(path):
        if path.name == name:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return original(path)

    monkeypatch.setattr(Path, method, refusing)


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_a_name_that_is_not_utf_8_is_escaped(folder):
    root = folder(**{"a.md": "x"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("y", encoding="utf-8")
    assert ids(load_corpus(root)) == ["a.md", r"caf\xe9.md"]


@pytest.mark.parametrize(
    ("files", "options", "said"),
    [
        pytest.param({}, {}, "no file is considered", id="an empty folder"),
        pytest.param({"a.png": b"PNG", "b.md": ""}, {}, "2 unread, the first: a.png is of a kind", id="all unread"),
        pytest.param(
            {"a.md": "x"}, {"include": ["*.odt"]}, "corpus.include=['*.odt']", id="a pattern that fits nothing"
        ),
        pytest.param({"a.md": "x"}, {"exclude": ["**"]}, "corpus.exclude=['**']", id="all excluded"),
    ],
)
def test_no_document(folder, files, options, said):
    root = folder(**files)
    with pytest.raises(CorpusError) as caught:
        load_corpus(root, **options)
    line = str(caught.value)
    assert said in line
    assert f"corpus.path={root}" in line
    assert f"Give a folder with {kinds()} files" in line
    assert "\n" not in line


def test_a_path_that_does_not_exist(tmp_path):
    with pytest.raises(CorpusError, match=r"corpus\.path=.*nowhere cannot be opened \(No such file or directory\)"):
        load_corpus(tmp_path / "nowhere")


def test_a_single_file_of_unknown_kind(folder):
    with pytest.raises(CorpusError, match=r"a\.png is of a kind that is not read"):
        load_corpus(folder(**{"a.png": b"PNG"}) / "a.png")


def test_an_unknown_encoding(folder):
    with pytest.raises(ConfigError, match=r"corpus\.encoding='utf-9'"):
        load_corpus(folder(**{"a.md": "x"}), encoding="utf-9")


def test_the_locale_has_no_say(folder):
    text = "Größe 4 µm – “fine” … ≥ 3 °C\n"
    root = folder(**{"a.txt": text})
    program = (
        "import sys, pathlib; from chunksweep.documents import load_corpus; "
        "print(load_corpus(pathlib.Path(sys.argv[1])).documents[0].digest)"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    run = subprocess.run(
        [sys.executable, "-c", program, str(root)], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == load_corpus(root).documents[0].digest
    assert load_corpus(root).documents[0].text == text
