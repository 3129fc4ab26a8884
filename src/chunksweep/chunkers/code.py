"""Code: a chunk is a function or class with the comments before it, or a part of one that is too long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chunksweep.chunkers.base import DEFAULT_SIZE, Cuts, MeasuredChunker, Sizing, check_option
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.library import require
from chunksweep.chunkers.recursive import split_recursively
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, IntArray, Span

if TYPE_CHECKING:
    from tree_sitter import Node

Unit: TypeAlias = "tuple[Span, Node | None]"


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar of tree-sitter.

    module       the package with its tables
    function     what of the package gives them
    endings      of the files that are in this language
    definitions  the kinds of nodes that are a chunk at the top of a file
    members      further kinds that are one inside a definition that is too long
    """

    module: str
    function: str
    endings: tuple[str, ...]
    definitions: frozenset[str]
    members: frozenset[str] = frozenset()


_JAVASCRIPT = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_TYPESCRIPT = _JAVASCRIPT | {
    "abstract_class_declaration", "interface_declaration", "enum_declaration", "type_alias_declaration",
}  # fmt: skip
_METHODS = frozenset({"method_definition"})
_C = frozenset({"function_definition", "struct_specifier", "union_specifier", "enum_specifier", "type_definition"})
GRAMMARS: Mapping[str, Grammar] = MappingProxyType(
    {
        "python": Grammar(
            "tree_sitter_python",
            "language",
            (".py", ".pyi"),
            frozenset({"function_definition", "class_definition", "decorated_definition"}),
        ),
        "javascript": Grammar(
            "tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx"), _JAVASCRIPT, _METHODS
        ),
        "typescript": Grammar(
            "tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts"), _TYPESCRIPT, _METHODS
        ),
        "tsx": Grammar("tree_sitter_typescript", "language_tsx", (".tsx",), _TYPESCRIPT, _METHODS),
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
            frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"}),
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
# What a template, or a declaration of variables, has instead of a field.
_HOLDERS = frozenset({"class_specifier", "struct_specifier", "function_definition", "variable_declarator"})
_LEADING = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(MeasuredChunker):
    """Cuts before every function and class at the top of a file; what stands between them is a chunk too.

    Comments, decorators and attributes directly before a definition belong to it, a blank line parts them. The grammar
    is chosen by the ending of the file's name.

    size      a cap: a longer definition is cut before the functions and classes in it, and what is still too long is
              split as by Recursive; None: no cap
    overlap   between the parts of what is split so; ignored without a cap
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
        source = _parsed(document, self.language)
        text = document.text
        if source is None:
            # Without a cap the ruler counts characters.
            size = self.size or DEFAULT_SIZE["characters"]
            parts = split_recursively(text, Span(0, len(text)), ruler, size, self.overlap if self.size else 0)
            return Cuts(tuple(parts), {"unparsed": 1})
        units = source.units(Span(0, len(text)), source.root)
        if self.size is None:
            return Cuts(tuple(unit for unit, _ in units), {"unparsed": 0})
        return Cuts(tuple(self._capped(source, units, ruler, self.size)), {"unparsed": 0})

    def _capped(self, source: _Source, units: Sequence[Unit], ruler: Ruler, size: int) -> Iterator[Span]:
        for unit, body in units:
            if unit.end <= ruler.reach(unit.start, size):
                yield unit
            elif body is not None:
                yield from self._capped(source, source.units(unit, body), ruler, size)
            else:
                yield from split_recursively(source.text, unit, ruler, size, self.overlap)


@dataclass(frozen=True, slots=True)
class _Source:
    """A document that was parsed.

    starts  int64 (characters + 1,), the byte at which each character begins
    """

    text: str
    root: Node
    grammar: Grammar
    starts: IntArray

    def units(self, span: Span, holder: Node) -> list[Unit]:
        """The definitions among the children of a node, and what stands between them, which together are `span`.

        With each the node that holds definitions in it, None where there is none. What stands before the first
        definition goes with what opens the span, such as the line of a class.
        """
        inside = holder is not self.root
        cuts = [self._character(byte) for byte in _groups(holder, self.grammar, open_group=inside)]
        bounds = pairwise([span.start, *(cut for cut in cuts if cut > span.start), span.end])
        found = [trimmed(self.text, Span(*bound)) for bound in bounds]
        bodies = {self._character(body.start_byte): body for body in self._bodies(holder)}
        return [
            (unit, next((body for start, body in bodies.items() if unit.start <= start < unit.end), None))
            for unit in found
            if len(unit)
        ]

    def _bodies(self, holder: Node) -> Iterator[Node]:
        """What holds the definitions inside each definition of a node."""
        for child in holder.named_children:
            if _is_definition(child, self.grammar):
                body = _body(child)
                if body is not None and any(_is_definition(node, self.grammar) for node in body.named_children):
                    yield body

    def _character(self, byte: int) -> int:
        return int(np.searchsorted(self.starts, byte))


def _parsed(document: Document, language: str | None) -> _Source | None:
    """The document with its syntax tree; None where it cannot be parsed."""
    from tree_sitter import Language, Parser  # noqa: PLC0415

    grammar = GRAMMARS[language] if language else _by_ending(document.id)
    if grammar is None:
        return None
    text = document.text
    tables = getattr(import_module(grammar.module), grammar.function)()
    root = Parser(Language(tables)).parse(text.encode("utf-8", "surrogatepass")).root_node
    if root.has_error:
        return None
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    widths = 1 + sum((codes >= least).astype(np.int64) for least in (0x80, 0x800, 0x10000))
    return _Source(text, root, grammar, np.concatenate([[0], np.cumsum(widths)]))


def _body(definition: Node) -> Node | None:
    """The block of a definition, whatever it is wrapped in."""
    for field in ("body", "definition", "declaration", "value"):
        held = definition.child_by_field_name(field)
        if held is not None:
            return held if field == "body" else _body(held)
    inner = [child for child in definition.named_children if child.type in _HOLDERS]
    return _body(inner[0]) if len(inner) == 1 else None


def _by_ending(document_id: str) -> Grammar | None:
    ending = PurePosixPath(document_id).suffix.lower()
    return next((grammar for grammar in GRAMMARS.values() if ending in grammar.endings), None)


def _groups(holder: Node, grammar: Grammar, *, open_group: bool) -> Iterator[int]:
    """The bytes at which a definition with its leading lines, or other code after one, begins.

    open_group  whether other code goes on in the chunk before
    """
    leading: Node | None = None  # the first of the leading lines
    last: Node | None = None  # the node before
    for node in holder.named_children:
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
    if node.type in grammar.definitions or node.type in grammar.members or node.type in _FUNCTION_VALUES:
        return True
    if node.type not in _WRAPPERS:
        return False
    field = _WRAPPERS[node.type]
    held = node.named_children if field is None else [node.child_by_field_name(field)]
    return any(_is_definition(child, grammar) for child in held if child is not None)
