from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from chunksweep.chunkers import find, split_document
from chunksweep.documents import plain
from chunksweep.errors import ConfigError
from chunksweep.tokens import load_tokenizer

PIECES = ["[UNK]", "[PAD]", "[CLS]", "nasa", "mc", "##int", "##osh", "'", "s", "-", "2", "r", "##x", "a", "b", "c", "d"]


@pytest.fixture
def word_pieces(tmp_path: Path) -> Path:
    """A lower-casing tokenizer that truncates, pads and adds a special token unless told not to."""
    tokenizer = Tokenizer(models.WordPiece({piece: index for index, piece in enumerate(PIECES)}, unk_token=PIECES[0]))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[UNK]", "[PAD]", "[CLS]"])
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=9)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture
def bytes_only(tmp_path: Path) -> Path:
    """A byte-level tokenizer without merges: every byte is a token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({char: index for index, char in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    path = tmp_path / "bytes.json"
    tokenizer.save(str(path))
    return path


def test_neither_truncates_nor_pads_nor_adds(word_pieces: Path) -> None:
    tokenizer = load_tokenizer("file", word_pieces)
    assert tokenizer.count(["a b c d a b c d a b c d", "a", ""]).tolist() == [12, 1, 0]


def test_offsets_are_characters_of_the_text(word_pieces: Path) -> None:
    text = "NASA's McIntosh-2 RX"
    starts, ends = load_tokenizer("file", word_pieces).offsets(text)
    pieces = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert pieces == ["NASA", "'", "s", "Mc", "Int", "osh", "-", "2", "R", "X"]


def test_special_tokens_are_ordinary_text(word_pieces: Path) -> None:
    starts, _ = load_tokenizer("file", word_pieces).offsets("[CLS] a")
    assert starts.tolist() == [0, 1, 4, 6]


def test_bytes_of_one_character_share_its_span(bytes_only: Path) -> None:
    starts, ends = load_tokenizer("file", bytes_only).offsets("a🧰é")
    assert starts.tolist() == [0, 1, 1, 1, 1, 2, 2]
    assert ends.tolist() == [1, 2, 2, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("text", "size", "chunks"),
    [
        pytest.param("NASA's McIntosh-2 RX", 3, ["NASA's ", "McIntosh", "-2 R", "X"], id="case is kept"),
        pytest.param("a  b   c d", 2, ["a  b   ", "c d"], id="blanks between tokens make no chunk"),
        pytest.param(" \n a b \n ", 1, [" \n a ", "b \n "], id="blanks around belong to their neighbours"),
    ],
)
def test_windows_of_tokens_are_slices(word_pieces: Path, text: str, size: int, chunks: list[str]) -> None:
    chunker = find("fixed")(unit="tokens", size=size)
    spans = split_document(chunker, plain.read(text, "a.txt"), load_tokenizer("file", word_pieces))
    assert [text[span.start : span.end] for span in spans] == chunks


def test_pickles_as_a_path_and_is_known_by_its_bytes(word_pieces: Path) -> None:
    tokenizer = load_tokenizer("file", word_pieces)
    tokenizer.count(["a"])
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer  # noqa: S301  our own bytes
    assert tokenizer.fingerprint == hashlib.sha256(word_pieces.read_bytes()).hexdigest()


def test_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"config\.json is not a tokenizer in Hugging Face's format"):
        load_tokenizer("file", path).count(["a"])
