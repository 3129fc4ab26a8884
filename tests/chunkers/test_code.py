"""Code: definitions with what belongs to them."""

from __future__ import annotations

import pytest

from chunksweep.chunkers import code, cut_document, find
from chunksweep.documents import plain
from chunksweep.errors import ConfigError

PYTHON = """\
#!/usr/bin/env python
# licence


# explains f, with an é
@cached
def f():
    return 1  # one


if __name__ == "__main__":
    f()
# trailing note
"""
# The loop over files must go on after a syntax error.
BROKEN = "def good():\n    return 1\n\ndef broken(:\n    return 2\n\ndef later():\n    return 3\n"


def cut(name: str, text: str, **options: object) -> tuple[list[str], int]:
    cuts = cut_document(find("code")(**options), plain.read(text, name), None)
    return [text[span.start : span.end] for span in cuts.spans], cuts.counts["unparsed"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param(
            "a.py",
            PYTHON,
            [
                "#!/usr/bin/env python\n# licence",
                "# explains f, with an é\n@cached\ndef f():\n    return 1  # one",
                'if __name__ == "__main__":\n    f()\n# trailing note',
            ],
            id="python: comments and decorators, code between and after",
        ),
        pytest.param(
            "a.js",
            "import x from 'y';\n// one\nexport class A { m() {} }\nconst f = () => 1;\nconst k = 2;\nfoo();\n",
            ["import x from 'y';", "// one\nexport class A { m() {} }", "const f = () => 1;", "const k = 2;\nfoo();"],
            id="javascript: exports and arrow functions",
        ),
        pytest.param(
            "a.ts",
            "/** doc */\nexport interface I { a: number }\n@dec class B {}\n",
            ["/** doc */\nexport interface I { a: number }", "@dec class B {}"],
            id="typescript",
        ),
        pytest.param("a.tsx", "const A = () => <b/>;\nclass B {}\n", ["const A = () => <b/>;", "class B {}"], id="tsx"),
        pytest.param(
            "a.java",
            "package p;\nimport q;\n/** doc */\n@X\nclass A { }\n",
            ["package p;\nimport q;", "/** doc */\n@X\nclass A { }"],
            id="java",
        ),
        pytest.param(
            "a.go",
            "package p\n\n// F does.\nfunc F() {}\n\ntype T struct{}\n",
            ["package p", "// F does.\nfunc F() {}", "type T struct{}"],
            id="go",
        ),
        pytest.param(
            "a.rs",
            "use a;\n/// doc\n#[test]\nfn f() {}\n\nstruct S;\nconst K: i32 = 1;\n",
            ["use a;", "/// doc\n#[test]\nfn f() {}", "struct S;", "const K: i32 = 1;"],
            id="rust: attributes",
        ),
        pytest.param(
            "a.c",
            "#include <a.h>\n/* doc */\nint f(void) { return 1; } // end\nstruct A { int x; };\nint g;\n",
            ["#include <a.h>", "/* doc */\nint f(void) { return 1; } // end", "struct A { int x; };", "int g;"],
            id="c: a comment on the line where a definition ends",
        ),
        pytest.param(
            "a.cpp",
            "class A {};\ntemplate<class T> T f(T t) { return t; }\nnamespace n { int x; }\n",
            ["class A {};", "template<class T> T f(T t) { return t; }", "namespace n { int x; }"],
            id="c++",
        ),
        pytest.param("a.py", "# only\n\n# comments\n", ["# only\n\n# comments"], id="no definition"),
        pytest.param("a.py", "", [], id="empty"),
    ],
)
def test_chunks(name: str, text: str, expected: list[str]) -> None:
    assert cut(name, text) == (expected, 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param("a.py", BROKEN, id="a syntax error"), pytest.param("a.md", "# A\n\nb", id="no code")],
)
def test_what_cannot_be_parsed_is_cut_otherwise_and_counted(name: str, text: str) -> None:
    assert cut(name, text) == ([text.strip()], 1)
    assert len(cut(name, text, size=5)[0]) > 1


def test_a_language_for_all_documents() -> None:
    assert cut("a.txt", "x = 1\ndef f(): pass\n", language="python") == (["x = 1", "def f(): pass"], 0)


def test_a_cap_splits_long_definitions_alone() -> None:
    text = "x = 1\n\ndef f():\n    return 11111\n"
    assert cut("a.py", text, size=20)[0] == ["x = 1", "def f():\n    return", "11111"]


CLASS = """\
class A:
    \"""Doc é.\"""
    x = 1

    # explains f
    @dec
    def f(self):
        return 1

    y = 2

    class B:
        def g(self):
            return 2
"""


@pytest.mark.parametrize(
    ("name", "text", "size", "expected"),
    [
        pytest.param(
            "a.py",
            CLASS,
            60,
            [
                'class A:\n    """Doc é."""\n    x = 1',
                "# explains f\n    @dec\n    def f(self):\n        return 1",
                "y = 2",
                "class B:\n        def g(self):\n            return 2",
            ],
            id="python: before methods and inner classes, with what belongs to them",
        ),
        pytest.param(
            "a.py",
            "class A:\n    class B:\n        def g(self):\n            return 2\n",
            40,
            ["class A:", "class B:", "def g(self):\n            return 2"],
            id="python: an inner class that is too long too",
        ),
        pytest.param(
            "a.java",
            "class A {\n  int x;\n  /** doc */\n  void f() { }\n  A() { }\n}\n",
            30,
            ["class A {\n  int x;", "/** doc */\n  void f() { }", "A() { }\n}"],
            id="java: methods and constructors",
        ),
        pytest.param(
            "a.ts",
            "export class A {\n  x = 1;\n  @d\n  m() { }\n  // n\n  n() { }\n}\n",
            30,
            ["export class A {\n  x = 1;", "@d\n  m() { }", "// n\n  n() { }\n}"],
            id="typescript: an exported class, a decorated method",
        ),
        pytest.param(
            "a.js",
            "const f = () => {\n  function g() { }\n  return g();\n};\n",
            20,
            ["const f = () => {", "function g() { }", "return g();\n};"],
            id="javascript: a function in a function",
        ),
        pytest.param(
            "a.rs",
            "impl A {\n  /// doc\n  fn f() { }\n  fn g() { }\n}\n",
            25,
            ["impl A {", "/// doc\n  fn f() { }", "fn g() { }\n}"],
            id="rust: an implementation",
        ),
        pytest.param(
            "a.cpp",
            "namespace n {\nint x;\ntemplate<class T> class B {\n  T h() { }\n  T i() { }\n};\n}\n",
            40,
            ["namespace n {\nint x;", "template<class T> class B {", "T h() { }", "T i() { }\n};\n}"],
            id="c++: a template in a namespace",
        ),
        pytest.param(
            "a.py",
            "class A:\n    text = 'one two three four'\n",
            20,
            ["class A:\n    text =", "'one two three four'"],
            id="nothing in it to cut at",
        ),
    ],
)
def test_a_definition_that_is_too_long_is_cut_at_those_in_it(
    name: str, text: str, size: int, expected: list[str]
) -> None:
    assert cut(name, text, size=size) == (expected, 0)


def test_options_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"^chunker\.language=cobol is not possible"):
        find("code")(language="cobol")
    monkeypatch.setattr("chunksweep.chunkers.library.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'chunksweep\[code\]'"):
        find("code")()


def test_no_ending_belongs_to_two_grammars() -> None:
    endings = [ending for grammar in code.GRAMMARS.values() for ending in grammar.endings]
    assert len(endings) == len(set(endings))
