"""Drawings: elements of SVG with every text and attribute escaped, and no style of their own."""

from collections.abc import Iterable

from markupsafe import Markup, escape

from treering.text.hygiene import clean


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """`text_anchor` becomes `text-anchor`, `class_` becomes `class`. None leaves an attribute out;
    children that are no markup are escaped. A river has thousands: it is put together by hand."""
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is not None:
            word = key.rstrip("_").replace("_", "-")
            said = clean(str(value)) if key == "aria_label" else _number(value)
            parts.append(f' {word}="{escape(said)!s}"')
    parts.append(">")
    parts += [child if isinstance(child, Markup) else escape(clean(child)) for child in children]
    parts.append(f"</{name}>")
    return Markup("".join(parts))  # noqa: S704 - all of it is escaped, or made here


def drawing(
    children: Iterable[Markup], width: float, height: float, label: str, class_: str
) -> Markup:
    """A picture as wide as its place, which says in words what it shows."""
    return element(
        "svg",
        element("title", label),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="group",
        aria_label=label,
        class_=class_,
    )


def _number(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def cut(text: str, length: int) -> str:
    """A text that has to fit: its beginning, and a sign that there is more."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
