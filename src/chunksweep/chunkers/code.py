"""Code: a chunk is a function or class at the top of a file, with the comments and decorators before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from chunksweep.chunkers.base import DEFAULT_SIZE, Cuts, MeasuredChunker, Sizing, check_option
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.library import require
from chunksweep.chunkers.recursive import split_recursively
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar of tree-sitter.

    module       the package with its tables
    function     what of the package gives them
    endings      of the files that are in this language
    definitions  the kinds of nodes that are a chunk at the top of a file
    """

    module: str
    function: str
    endings: tuple[str, ...]
    definitions: frozenset[str]


_JAVASCRIPT = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_TYPESCRIPT = _JAVASCRIPT | {
    "abstract_class_declaration", "interface_declaration", "enum_declaration", "type_alias_declaration",
}  # fmt: skip
_C = frozenset({"function_definition", "struct_specifier", "union_specifier", "enum_specifier", "type_definition"})
GRAMMARS: Mapping[str, Grammar] = MappingProxyType(
    {
        "python": Grammar(
            "tree_sitter_python",
            "language",
            (".py", ".pyi"),
            frozenset({"function_definition", "class_definition", "decorated_definition"}),
        ),
        "javascript": Grammar("tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx"), _JAVASCRIPT),
        "typescript": Grammar("tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts"), _TYPESCRIPT),
        "tsx": Grammar("tree_sitter_typescript", "language_tsx", (".tsx",), _TYPESCRIPT),
        "java": Grammar(
            "tree_sitter_java",
            "language",
            (".java",),
            frozenset(
                {
                    "class_declaration",
                    "interface_declaration",
                    "enum_declaration",
                    "record_declaration",
                    "annotation_type_declaration",
                }
            ),
        ),
        "go": Grammar(
            "tree_sitter_go",
            "language",
            (".go",),
            frozenset({"function_declaration", "method_declaration", "type_declaration"}),
        ),
        "rust": Grammar(
            "tree_sitter_rust",
            "language",
            (".rs",),
            frozenset(
                {"function_item", "struct_item", "enum_item", "union_item", "impl_item", "trait_item", "mod_item"}
                | {"macro_definition"}
            ),
        ),
        "c": Grammar("tree_sitter_c", "language", (".c", ".h"), _C),
        "cpp": Grammar(
            "tree_sitter_cpp",
            "language",
            (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
            _C | {"class_specifier", "namespace_definition", "template_declaration"},
        ),
    }
)
# Nodes that may hold a definition: `export class A`, `const f = () => 1`.
_WRAPPERS = {"export_statement": "declaration", "lexical_declaration": None, "variable_declarator": "value"}
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "class"})
_LEADING = frozenset({"comment", "line_comment", "block_comment", "attribute_item"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(MeasuredChunker):
    """Cuts before every function and class at the top of a file; what stands between them is a chunk too.

    Comments, decorators and attributes directly before a definition belong to it, a blank line parts them. The grammar
    is chosen by the ending of the file's name.

    size      a cap: a longer chunk is split as by Recursive; None: no cap
    overlap   between the parts of one such chunk; ignored without a cap
    language  the language of all documents, a key of GRAMMARS; None: by the ending

    A document without a grammar, or with a syntax error, is cut as by Recursive, at 400 characters where there is no
    cap, and counted as `unparsed`.
    """

    language: str | None = None

    def __post_init__(self) -> None:
        require("tree_sitter", "code")
        if self.language is not None:
            check_option("language", self.language, tuple(GRAMMARS))
        MeasuredChunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """No cap unless one is given."""
        return Sizing(self.unit, None, overlap=self.size is not None)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The definitions and what stands between them."""
        yield from self.cut(document, ruler).spans

    def cut(self, document: Document, ruler: Ruler) -> Cuts:
        """As `split`; counts the document as unparsed where it is cut otherwise."""
        starts = _starts(document, self.language)
        text = document.text
        if starts is None:
            # Without a cap the ruler counts characters.
            size = self.size or DEFAULT_SIZE["characters"]
            parts = split_recursively(text, Span(0, len(text)), ruler, size, self.overlap if self.size else 0)
            return Cuts(tuple(parts), {"unparsed": 1})
        units = [trimmed(text, Span(*bounds)) for bounds in pairwise([0, *starts, len(text)])]
        units = [unit for unit in units if len(unit)]
        if self.size is None:
            return Cuts(tuple(units), {"unparsed": 0})
        capped = [part for unit in units for part in split_recursively(text, unit, ruler, self.size, self.overlap)]
        return Cuts(tuple(capped), {"unparsed": 0})


def _starts(document: Document, language: str | None) -> list[int] | None:
    """The characters at which chunks begin, in order; None where the document cannot be parsed."""
    from tree_sitter import Language, Parser  # noqa: PLC0415

    grammar = GRAMMARS[language] if language else _by_ending(document.id)
    if grammar is None:
        return None
    data = document.text.encode("utf-8", "surrogatepass")
    tables = getattr(import_module(grammar.module), grammar.function)()
    root = Parser(Language(tables)).parse(data).root_node
    if root.has_error:
        return None
    starts, character, byte = [], 0, 0
    for start in _groups(root, grammar):
        character += len(data[byte:start].decode("utf-8", "surrogatepass"))
        byte = start
        starts.append(character)
    return starts


def _by_ending(document_id: str) -> Grammar | None:
    ending = PurePosixPath(document_id).suffix.lower()
    return next((grammar for grammar in GRAMMARS.values() if ending in grammar.endings), None)


def _groups(root: Node, grammar: Grammar) -> Iterator[int]:
    """The bytes at which a definition with its leading lines, or other code after one, begins."""
    leading: Node | None = None  # the first of the leading lines
    last: Node | None = None  # the node before
    open_group = False  # whether other code goes on in the chunk before
    for node in root.named_children:
        # A node that ends at the beginning of a line has the line end before, and nothing of that line.
        same_line = last is not None and node.start_point.row == last.end_point.row and last.end_point.column > 0
        if node.type in _LEADING and not same_line:
            if leading is None or _apart(last, node):
                if leading is not None and not open_group:
                    yield leading.start_byte
                    open_group = True
                leading = node
        elif _is_definition(node, grammar):
            attached = leading is not None and not _apart(last, node)
            if leading is not None and not attached and not open_group:
                yield leading.start_byte
            yield leading.start_byte if attached and leading is not None else node.start_byte
            leading, open_group = None, False
        elif node.type not in _LEADING:
            if not open_group:
                yield (leading or node).start_byte
            leading, open_group = None, True
        last = node
    if leading is not None and not open_group:
        yield leading.start_byte


def _apart(one: Node | None, two: Node) -> bool:
    """Whether a blank line stands between two nodes."""
    # Some grammars count the line end to a node: then it ends at the beginning of the next line.
    return one is not None and two.start_point.row - one.end_point.row + (one.end_point.column == 0) > 1


def _is_definition(node: Node, grammar: Grammar) -> bool:
    if node.type in grammar.definitions or node.type in _FUNCTION_VALUES:
        return True
    if node.type not in _WRAPPERS:
        return False
    field = _WRAPPERS[node.type]
    held = node.named_children if field is None else [node.child_by_field_name(field)]
    return any(_is_definition(child, grammar) for child in held if child is not None)
