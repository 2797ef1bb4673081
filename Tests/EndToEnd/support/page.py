"""An HTML page as a tree: its forms with controls and labels, and its text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Self

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# Elements whose end tag is optional in HTML.
IMPLIED = {"p", "li", "dt", "dd", "tr", "td", "th", "option", "html", "head", "body", "thead", "tbody"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list["Element | str"] = field(default_factory=list)

    def get(self, name: str) -> str | None:
        return self.attributes.get(name)

    @property
    def text(self) -> str:
        """Returns all text inside the element, with whitespace collapsed as in a browser."""
        return " ".join(self._raw().split())

    def all(self, tag: str) -> list["Element"]:
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                if part.tag == tag:
                    found.append(part)
                found += part.all(tag)
        return found

    def having(self, name: str, value: str) -> list["Element"]:
        """Returns every descendant with this attribute."""
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                if part.get(name) == value:
                    found.append(part)
                found += part.having(name, value)
        return found

    def by_id(self, name: str) -> "Element":
        found = self.having("id", name)
        assert len(found) == 1, f"{len(found)} elements have the id {name}"
        return found[0]

    def _raw(self) -> str:
        return "".join(part if isinstance(part, str) else part._raw() for part in self.parts)


class Page(HTMLParser):
    """A page. An end tag without an open element is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("#document")
        self._open = [self.root]
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"duplicate attribute: <{tag} {attrs}>"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].parts.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1].tag != tag:
            assert self._open[-1].tag in IMPLIED, f"</{tag}> inside <{self._open[-1].tag}>"
            self._open.pop()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)

    @classmethod
    def of(cls, content: bytes) -> Self:
        return cls(content.decode())

    def all(self, tag: str) -> list[Element]:
        return self.root.all(tag)

    def by_id(self, name: str) -> Element:
        return self.root.by_id(name)

    @property
    def text(self) -> str:
        return self.root.text

    @property
    def heading(self) -> str:
        (heading,) = self.all("h1")
        return heading.text

    @property
    def alerts(self) -> list[str]:
        return [element.text for element in self.root.having("role", "alert") if element.text]

    def form(self, action: str) -> "Form":
        found = [form for form in self.all("form") if form.get("action") == action]
        assert len(found) == 1, f"{len(found)} forms for {action}: {[form.attributes for form in self.all('form')]}"
        return Form(found[0])


@dataclass(frozen=True)
class Form:
    element: Element

    @property
    def inputs(self) -> dict[str, Element]:
        """The inputs by name, in page order."""
        named = [one for one in self.element.all("input") if one.get("name")]
        by_name = {one.attributes["name"]: one for one in named}
        assert len(by_name) == len(named), "two inputs have the same name"
        return by_name

    @property
    def visible(self) -> dict[str, Element]:
        return {name: one for name, one in self.inputs.items() if one.get("type") != "hidden"}

    @property
    def hidden(self) -> dict[str, str]:
        return {name: one.get("value") or "" for name, one in self.inputs.items() if one.get("type") == "hidden"}

    @property
    def values(self) -> dict[str, str]:
        """Returns the fields that a browser sends without user input."""
        return {name: one.get("value") or "" for name, one in self.inputs.items()}
