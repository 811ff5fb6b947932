"""FormattedContent: the documented subset of XHTML. What lies outside it is refused, what is shown is sanitised too."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import lxml.etree
import nh3

from annotation.marketplace.errors import InvalidParameterError

_CELL = "abbr align axis bgcolor char charoff colspan headers height nowrap rowspan scope valign width"
_ROW = "align char charoff valign"
PLAIN = ("b", "big", "br", "center", "cite", "code", "dd", "dl", "dt", "em", "i", "small", "strong", "sub", "sup", "u")
# Amazon's own table, "Supported XHTML Tags".
ATTRIBUTES = {
    "a": "accesskey charset coords href hreflang name rel rev shape tabindex target type",
    "area": "alt coords href nohref shape target",
    "blockquote": "cite", "col": f"{_ROW} span width", "colgroup": f"{_ROW} span width",
    "del": "cite datetime", "font": "color face size",
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "p"), "align"),
    "hr": "align noshade size width",
    "img": "align alt border height hspace ismap longdesc src usemap vspace width",
    "ins": "cite datetime", "li": "type value", "map": "name", "ol": "compact start type", "pre": "width", "q": "cite",
    "table": "align bgcolor border cellpadding cellspacing frame rules summary width",
    "tbody": _ROW, "td": _CELL, "tfoot": _ROW, "th": _CELL, "thead": _ROW, "tr": f"bgcolor {_ROW}",
    "ul": "compact type",
    **dict.fromkeys(PLAIN, ""),
}  # fmt: skip
EVERYWHERE = {"title", "dir", "lang", "{http://www.w3.org/XML/1998/namespace}lang"}
ADDRESSES = {"href", "src", "cite", "longdesc"}
SCHEMES = {"http", "https", "ftp", "news", "nntp", "mailto", "gopher", "telnet"}
SHOWN_SCHEMES = {"http", "https", "mailto"}
# HTML's named characters that requesters write; XML knows five.
_NAMED = {"nbsp": 160, "copy": 169, "reg": 174, "ndash": 8211, "mdash": 8212, "lsquo": 8216, "rsquo": 8217,
          "ldquo": 8220, "rdquo": 8221, "bull": 8226, "hellip": 8230, "larr": 8592, "rarr": 8594, "times": 215,
          "middot": 183, "deg": 176, "euro": 8364, "trade": 8482, "frac12": 189, "eacute": 233}  # fmt: skip


def checked(content: str) -> str:
    """The content sanitised for showing. Raises InvalidParameterError naming the rule of the subset that it breaks."""
    document = re.sub("&([a-z]+[0-9]*);", _numbered, content)
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = lxml.etree.fromstring(f"<FormattedContent>{document}</FormattedContent>".encode(), parser=parser)
    except lxml.etree.XMLSyntaxError as error:
        raise InvalidParameterError(f"FormattedContent is not well-formed XHTML: {error}.") from None
    for element in root.iter():
        if element is not root:
            _check(element)
    return sanitised(content)


def sanitised(content: str) -> str:
    """What remains of HTML when only the subset's elements, attributes and harmless addresses are kept."""
    attributes = {tag: set(names.split()) - {"target", "rel"} for tag, names in ATTRIBUTES.items()}
    attributes["*"] = {"title", "dir", "lang"}
    return nh3.clean(
        content,
        tags=set(ATTRIBUTES),
        attributes=attributes,
        url_schemes=SHOWN_SCHEMES,
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _numbered(match: re.Match[str]) -> str:
    return f"&#{_NAMED[match[1]]};" if match[1] in _NAMED else match[0]


def _check(element: lxml.etree._Element) -> None:
    if not isinstance(element.tag, str):
        raise InvalidParameterError("FormattedContent must not contain comments, entities or processing instructions.")
    if element.tag not in ATTRIBUTES:
        raise InvalidParameterError(f"FormattedContent must not contain the element <{element.tag[:40]}>.")
    for name, value in element.attrib.items():
        if name not in ATTRIBUTES[element.tag].split() and name not in EVERYWHERE:
            raise InvalidParameterError(f"FormattedContent: <{element.tag}> must not have the attribute {name[:40]}.")
        if name in ADDRESSES and not _harmless(value):
            raise InvalidParameterError(f"FormattedContent: {name} of <{element.tag}> must be a web address.")
    missing = {"img": {"src", "alt"}, "area": {"alt"}, "map": {"name"}}.get(element.tag, set()) - set(element.attrib)
    if missing:
        raise InvalidParameterError(f"FormattedContent: <{element.tag}> must have the attribute {min(missing)}.")


def _harmless(address: str) -> bool:
    try:
        return urlsplit(address.strip()).scheme.lower() in {*SCHEMES, ""}
    except ValueError:
        return False
