"""HTML: what of a page becomes text, and what its elements say about it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents import html


def read(source):
    return html.read(source, "docs/page.html")


def words(document, span):
    return document.text[span.start : span.end]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param(
            "<h1>Pump notes</h1><p>Seal worn.</p><p>Bolt tight.</p><ul><li>Oil</li><li>Grease</li></ul>",
            "Pump notes\n\nSeal worn.\n\nBolt tight.\n\nOil\nGrease",
            id="blocks are kept apart, list items have a line each",
        ),
        pytest.param(
            "<p>Turn the <strong>red</strong> knob <code>twice</code> slowly.</p>",
            "Turn the red knob twice slowly.",
            id="inline elements stay where they stand",
        ),
        pytest.param("<p>un<b>believ</b>able</p>", "unbelievable", id="no blank is put in"),
        pytest.param("<p>a\n   b</p>\n\n  <p> c </p>", "a b\n\nc", id="white space as a browser shows it"),
        pytest.param("<p>a<!-- no -->b<?no?></p>", "ab", id="comments"),
        pytest.param("a<br>b<br/><br/>c", "a\nb\nc", id="line breaks"),
        pytest.param(
            "<p>4&nbsp;mm &amp; 5&#8239;&lt;&hellip; &copy caf&eacute;</p>",
            "4\u00a0mm & 5\u202f<… © café",
            id="entities",
        ),
        pytest.param(
            "<ol start=3><li>x<ul><li>y<li>z</ul><li>w</ol>after",
            "3. x\n  y\n  z\n4. w\n\nafter",
            id="numbers and nested lists",
        ),
        pytest.param("<ol><li><p>x<li><p>y<p>z</ol>", "1. x\n\n2. y\n\nz", id="items of paragraphs"),
        pytest.param(
            "<dl><dt>Oil?<dd>Every week.<dt>Salt?<dd>Never.</dl>",
            "Oil?\nEvery week.\n\nSalt?\nNever.",
            id="a definition stands below its term",
        ),
        pytest.param("<div>a<div>b</div>c</div>", "a\n\nb\n\nc", id="nested blocks"),
        pytest.param("plain words", "plain words", id="no markup"),
        pytest.param("<p>never <b>closed", "never closed", id="unclosed"),
        pytest.param("", "", id="empty"),
        pytest.param("<!-- a comment alone -->", "", id="nothing shown"),
    ],
)
def test_text(source, text):
    assert read(source).text == text


@pytest.mark.parametrize(
    "left_out",
    [
        "<script>x()</script>",
        "<style>p {}</style>",
        "<noscript>x</noscript>",
        "<template>x</template>",
        "<nav><ul><li>x</ul></nav>",
        "<footer>x</footer>",
        "<aside>x</aside>",
        "<header>x</header>",
        "<button>x</button>",
        "<select><option>x</select>",
        "<dialog open>x</dialog>",
        '<div role="navigation">x</div>',
        '<div role="Banner">x</div>',
        '<div role="dialog" aria-label="Cookies">x</div>',
        '<div role="search">x</div>',
        "<p hidden>x</p>",
        '<p aria-hidden="true">x</p>',
        '<p style="color: red; display:  none">x</p>',
        '<a href="#a">¶</a>',
    ],
)
def test_boilerplate_is_left_out_and_what_follows_is_not(left_out):
    assert read(f"<p>a</p>{left_out}b<p>c</p>").text.split() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("<article><header><p>x</p></header></article>", id="the header of an article"),
        pytest.param("<header><h1>x</h1><nav>no</nav></header>", id="a header with the page's heading"),
        pytest.param('<div role="banner"><h2>x</h2></div>', id="a banner with a heading"),
        pytest.param("<math><mi>x</mi></math>", id="formulas"),
        pytest.param('<a href="#a">x</a>', id="links"),
        pytest.param("<form><label>x</label></form>", id="labels"),
    ],
)
def test_what_only_looks_like_boilerplate_is_kept(source):
    assert read(source).text == "x"


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        pytest.param(
            "<h1>Boiler</h1><p>a</p><h2>Filter</h2><p>b</p><h1>Tank</h1><p>c</p>",
            [("Boiler",), ("Boiler", "Filter"), ("Tank",)],
            id="the outer heading is not forgotten",
        ),
        pytest.param(
            "<body><article><header><h2>Deep</h2></header><section><div><p>inner fact 77</p></div></section></article>",
            [("Deep",)],
            id="headings in sections and headers",
        ),
        pytest.param("<p>a</p><h3>B <code>c</code></h3><p>d</p>", [(), ("B c",)], id="inline markup, and text before"),
        pytest.param("<h1>A</h1><nav><h2>Menu</h2></nav><h2></h2><p>b</p>", [("A",)], id="left out or empty"),
        pytest.param('<h2>Use<a href="#use">#</a></h2><p>b</p>', [("Use",)], id="without the permanent link"),
    ],
)
def test_sections(source, paths):
    assert [section.path for section in read(source).sections] == paths


def test_a_section_holds_its_text():
    document = read("<h2>Deep</h2><section><div><p>inner fact 77</p></div></section>")
    assert words(document, document.sections[0].body).strip() == "inner fact 77"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        pytest.param("<title> The\n pump </title><h1>Other</h1>", "The pump", id="title"),
        pytest.param("<title></title><h2>Two</h2><h1>One</h1>", "One", id="first level-1 heading"),
        pytest.param("<p>x</p>", "page", id="file name"),
        pytest.param("", "page", id="empty"),
    ],
)
def test_title(source, title):
    assert read(source).title == title


def test_preformatted_text_is_kept_as_it_is():
    document = read("<p>Run:<pre>\n  a  &lt;b\n\n    <b>c</b><br>d\n</pre><p>end")
    assert document.text == "Run:\n\n  a  <b\n\n    c\nd\n\nend"
    assert [words(document, span) for span in document.verbatim] == ["  a  <b\n\n    c\nd"]


TABLE = """<p>before</p><table><caption>Stock</caption>
<thead><tr><th>part</th><th>place</th></tr></thead>
<tr><td>bolt<br>M4</td><td><p>shelf</p><p>3</p></td></tr>
<tr><td></td><td>floor</td></tr><tr><td> </td></tr><tr><td>nut</td><td></td></tr>
</table>after"""


def test_table():
    document = read(TABLE)
    assert document.text == "before\n\nStock\npart | place\nbolt M4 | shelf 3\n| floor\nnut |\n\nafter"
    (table,) = document.tables
    assert words(document, table.span) == "part | place\nbolt M4 | shelf 3\n| floor\nnut |"
    assert [words(document, cell) for cell in table.header] == ["part", "place"]
    assert [[words(document, cell) for cell in row.cells] for row in table.rows] == [
        ["bolt M4", "shelf 3"],
        ["", "floor"],
        ["nut", ""],
    ]
    assert [words(document, row.span) for row in table.rows] == ["bolt M4 | shelf 3", "| floor", "nut |"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("<table><tr><td>a<tr><td>b</table>", "a\n\nb", id="one column"),
        pytest.param("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb", id="said to be none"),
        pytest.param("<table><tr><td><h2>a</h2><td>b</table>", "a\n\nb", id="headings inside"),
    ],
)
def test_a_table_that_lays_out_a_page_is_none(source, text):
    document = read(source)
    assert (document.text, document.tables) == (text, ())


def test_a_table_inside_another_is_the_table():
    document = read("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>")
    assert document.text == "a\n\nb | c"
    assert [table.header for table in document.tables] == [()]


def test_a_declared_encoding_of_decoded_text_has_no_say():
    assert read("<?xml version='1.0' encoding='latin-1'?><html><body>Größe</body></html>").text == "Größe"


def test_what_the_parser_does_not_reach_is_reported():
    document = read("a" + "<div>" * 3_000 + "deep" + "</div>" * 3_000)
    assert document.text == "a"
    assert document.unread == ("is nested more than 2,048 elements deep, and what lies deeper is not read",)


def test_structure_that_cannot_be_seen_in_the_text_is_part_of_the_digest():
    assert read("<h1>a</h1>").text == read("<h2>a</h2>").text
    assert read("<h1>a</h1>").digest != read("<h2>a</h2>").digest
    assert read("<h1>a</h1>").digest == read("<h1>a</h1 >").digest


TAGS = st.sampled_from(
    ["p", "div", "b", "li", "ul", "ol", "table", "tr", "td", "th", "h1", "h2", "pre", "dl", "dt", "br"]
)
PIECES = st.one_of(
    TAGS.map("<{}>".format), TAGS.map("</{}>".format), st.sampled_from(["alpha", "beta", " ", "\n", "&amp;", "ü"])
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_tags_give_a_text_whose_parts_are_in_place(source):
    document = read(source)
    expected = source.count("alpha"), source.count("beta"), source.count("ü"), source.count("&amp;")
    text = document.text
    assert (text.count("alpha"), text.count("beta"), text.count("ü"), text.count("&")) == expected
    for section in document.sections:
        assert words(document, section.heading_span).strip() == section.heading
    for table in document.tables:
        for row in table.rows:
            assert row.span.end <= table.span.end
            assert all(row.span.contains(cell) for cell in row.cells)
