"""The HTML of a mail as the text that `switchboard/mail/trimming.py` reads.

What a program marks as a quoted mail becomes lines with `>`, or a cut where everything below is one; line
breaks stay; a person's own blockquote is text. The walk is a loop, what goes into the parser is bounded.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from switchboard.mail.lines import CUT

MAX_HTML = 512 * 1024  # characters
MAX_TAGS = 8_000
MAX_WORDS = 12_000  # and attributes, before which a space, a slash or a quotation mark stands

_WORD = re.compile(r"[\s/\"'][^\s/\"']")
_TAG = re.compile(r"<[A-Za-z]")
_STYLE = re.compile(r"<style(?=[\s>])", re.IGNORECASE)
_STYLE_END = re.compile(r"</style\s{0,9}>", re.IGNORECASE)
_DATA = re.compile(r"data:[a-z]{1,20}/[^\"'<>\s]*", re.IGNORECASE)
# Unclosed inline tags are opened again in every block that follows, a growth without bound; to us they all
# mean nothing.
_INLINE = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)

_DROPPED: Final = frozenset(
    {"head", "script", "style", "title", "template", "noscript", "svg", "select", "object"}
)
_BLOCKS: Final = frozenset([
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
    "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
])  # fmt: skip
_APART: Final = frozenset(
    ["blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"]
)  # a blank line around
_SIGNATURES: Final = re.compile(
    r"(?<![\w-])(?:gmail_signature|moz-signature|ms-outlook-mobile-signature|signature|"
    r"x_signature|protonmail_signature_block|zmail_signature|yahoo-signature)(?![\w-])",
    re.IGNORECASE,
)
# an element that holds the quoted mail, or the line that announces it
_QUOTES: Final = re.compile(
    r"(?<![\w-])(?:gmail_attr|gmail_quote_attribution|moz-cite-prefix|moz-forward-container|protonmail_quote|"
    r"tutanota_quote|yahoo_quoted\w*|iosymail|front-blockquote|zmail_extra|olk_src_body_section|"
    r"mail-editor-reference-message-container|ms-outlook-mobile-reference-message|messagereplysection|"
    r"mailquote|bloop_original_html|airmail_on|uiqquotedcontent)(?![\w-])",
    re.IGNORECASE,
)
# an element with which the quoted mail begins and goes on to the end
_CUTS: Final = re.compile(
    r"(?<![\w-])(?:divrplyfwdmsg|appendonsend|stopspelling|zwchr|reply-intro|lineBreakAtBeginningOfMessage"
    r"|mail-quote-prefix)(?![\w-])",
    re.IGNORECASE,
)
# Word draws this line above the header of the mail it quotes, whatever the language
_WORD_CUTS: Final = re.compile(r"border-top:\s{0,3}solid #(?:b5c4df|e1e1e1)", re.IGNORECASE)
_GMAIL = re.compile(r"(?<![\w-])gmail_quote(?:_container)?(?![\w-])")
_BORDERED = re.compile(r"border-left", re.IGNORECASE)
_HIDDEN = re.compile(
    r"(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|mso-hide\s{0,3}:\s{0,3}all)",
    re.IGNORECASE,
)
_OWN: Final = "\x02"  # before a line of a blockquote that may be the person's own
_SPACES = re.compile(r"\s+")


class _Place(NamedTuple):
    """What holds for a node because of those around it."""

    prefix: str = ""  # of each line: "> " in a quote
    pre: bool = False
    bullet: str = ""  # of the list items directly inside


def to_text(html: str) -> str:
    """The text of `html` (its first 8 000 tags, its first 12 000 words), quotes marked with `>`."""
    page = _Page()
    if (root := LexborHTMLParser(_bounded(html)).root) is not None:
        _walk(root, page)
    return _settled(page.finished())


def _bounded(html: str) -> str:
    """What the parser can take: it needs the square of depth, and of the attributes of one tag."""
    html = _without_styles(_DATA.sub("", html))[:MAX_HTML]
    html = _INLINE.sub(r"<\1span", html)
    for what, limit in ((_TAG, MAX_TAGS), (_WORD, MAX_WORDS)):
        beyond = next(islice(what.finditer(html), limit, None), None)
        html = html[: beyond.start()] if beyond else html
    return html


def _without_styles(html: str) -> str:
    """`html` without its style sheets, which in Word's are longer than many a reply."""
    kept, at = [], 0
    while (opened := _STYLE.search(html, at)) and (closed := _STYLE_END.search(html, opened.end())):
        kept.append(html[at : opened.start()])
        at = closed.end()
    return "".join([*kept, html[at:]])


class _Page:
    """Lines as they are written: text flows on until somebody breaks it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._flow: list[str] = []
        self._place = _Place()  # of the line that is being written

    def write(self, text: str, place: _Place) -> None:
        if place.pre:
            *whole, text = text.split("\n")
            for line in whole:
                self._flow.append(line)
                self.end_line(place)
        if not self._flow:
            self._place = place
        self._flow.append(text if place.pre else _SPACES.sub(" ", text))

    def end_line(self, place: _Place) -> None:
        """End the line, be it empty."""
        place = self._place if self._flow else place
        line = "".join(self._flow)
        line = line.rstrip() if place.pre else _SPACES.sub(" ", line).strip()
        self._lines.append(place.prefix + line)
        self._flow = []

    def end_block(self, place: _Place, *, apart: bool) -> None:
        """End the line if something stands in it; `apart`: a blank one follows."""
        if any(each.strip() for each in self._flow):
            self.end_line(place)
        self._flow = []
        if apart and self._lines and self._lines[-1].strip(f"> {_OWN}"):
            self._lines.append(place.prefix)

    def finished(self) -> list[str]:
        self.end_block(_Place(), apart=False)
        return self._lines


def _walk(root: LexborNode, page: _Page) -> None:
    """Write every node in order. A tag instead of a node says that its block ends there."""
    todo: list[tuple[LexborNode | str, _Place]] = [(root, _Place())]
    while todo:
        node, place = todo.pop()
        if isinstance(node, str):
            page.end_block(place, apart=node in _APART)
        elif node.is_text_node:
            page.write(node.text_content or "", place)
        elif node.is_element_node and (tag := node.tag or "") not in _DROPPED:
            marks, style = _marks(node)
            if not (_SIGNATURES.search(marks) or _is_hidden(node, style)):
                cut = bool(_CUTS.search(marks) or _WORD_CUTS.search(style))
                _begin(tag, page, place, cut=cut)
                if tag in _BLOCKS:
                    todo.append((tag, place))
                todo.extend(reversed(_inside(node, tag, place, marks, style)))


def _marks(node: LexborNode) -> tuple[str, str]:
    """What programs name an element (id, class, name), and its style."""
    given = node.attributes
    names = " ".join(given.get(name) or "" for name in ("id", "class", "name"))
    return names, given.get("style") or ""


def _is_hidden(node: LexborNode, style: str) -> bool:
    """Whether the person did not see it: he typed nothing there."""
    return bool(_HIDDEN.search(style)) or "hidden" in node.attributes


def _begin(tag: str, page: _Page, place: _Place, *, cut: bool) -> None:
    """What stands before the content of an element."""
    if tag in _BLOCKS or cut:
        page.end_block(place, apart=tag in _APART)
    if cut:
        page.write(CUT, _Place())
        page.end_line(place)
    if tag == "br":
        page.end_line(place)
    elif tag == "hr":
        page.write("---", place)
        page.end_line(place)
    elif tag == "li":
        page.write(place.bullet or "- ", place)
    elif tag in {"td", "th"}:
        page.write(" ", place)


def _inside(
    node: LexborNode, tag: str, place: _Place, marks: str, style: str
) -> list[tuple[LexborNode | str, _Place]]:
    """The children of an element, each with its place."""
    place = place._replace(pre=place.pre or tag == "pre")
    if tag == "blockquote":
        own = not (_BORDERED.search(style) or _GMAIL.search(marks) or _QUOTES.search(marks))
        own = own and not {"type", "cite"} & node.attributes.keys()
        place = place._replace(prefix=place.prefix or (_OWN if own else "> "))
    elif _QUOTES.search(marks):
        place = place._replace(prefix="> ")
    # Gmail's element holds the announcement, the quote and, between quotes, answers
    announcing = tag == "div" and bool(_GMAIL.search(marks))
    inside: list[tuple[LexborNode | str, _Place]] = []
    items = 0
    for child in node.iter(include_text=True):
        announcing = announcing and child.tag != "blockquote"
        items += child.tag == "li"
        prefix = "> " if announcing else place.prefix
        bullet = f"{items}. " if tag == "ol" else ""
        inside.append((child, place._replace(prefix=prefix, bullet=bullet)))
    return inside


def _settled(lines: list[str]) -> str:
    """`lines` as text. A blockquote of nobody's making is a quote if the mail ends with it, else text."""
    typed = [at for at, line in enumerate(lines) if line.strip() and not line.startswith(_OWN)]
    last = typed[-1] if typed else len(lines)
    return "\n".join(
        line.replace(_OWN, "> " if at > last else "", 1) if line.startswith(_OWN) else line
        for at, line in enumerate(lines)
    )
