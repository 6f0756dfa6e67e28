"""Drawings: elements of SVG with every text and attribute escaped, and no style of their own."""

from collections.abc import Iterable

from markupsafe import Markup

from treering.text.hygiene import clean


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """`text_anchor` becomes `text-anchor`, `class_` becomes `class`. None leaves an attribute out;
    children that are no markup are escaped."""
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    written = Markup("").join(
        Markup(' {}="{}"').format(key, _number(value)) for key, value in pairs if value is not None
    )
    inner = Markup("").join(map(_harmless, children))
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), written, inner)  # noqa: S704 - our own


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
        role="img",
        aria_label=label,
        class_=class_,
    )


def _harmless(child: str | Markup) -> str | Markup:
    """What is drawn was written by others: nothing hidden is in it."""
    return child if isinstance(child, Markup) else clean(child)


def _number(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def cut(text: str, length: int) -> str:
    """A text that has to fit: its beginning, and a sign that there is more."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
