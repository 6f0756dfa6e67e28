"""Mutants: the source of a module with one small fault in it.

The faults are those that people make and reviews miss: a guard that is gone, a condition turned
round, a comparison off by one, a call that was forgotten.
"""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SWAPS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SHOWN = 60


class Mutant(NamedTuple):
    """One fault; `key` names it by what stands there, so that it outlives changes elsewhere."""

    module: str
    function: str
    line: int
    key: str
    source: bytes


class _Fault(NamedTuple):
    kind: str
    node: ast.expr | ast.stmt
    text: str


def make_mutants(root: Path, module: str) -> list[Mutant]:
    """Every mutant of a module, a path below `root`."""
    source = (root / module).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen: Counter[str] = Counter()
    found = []
    for function, fault in _faults(ast.parse(source), ""):
        node = fault.node
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        shown = re.sub(r"\s+", " ", source[first:last].decode())[:_SHOWN]
        key = f"{module} {function} {fault.kind}: {shown}"
        seen[key] += 1
        if seen[key] > 1:
            key += f" #{seen[key]}"
        mutated = source[:first] + fault.text.encode() + source[last:]
        found.append(Mutant(module, function, node.lineno, key, mutated))
    return found


def choose(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """Some of them, by chance that is the same for a key whatever else is there."""
    return sorted(
        mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()
    )[:number]


def _faults(node: ast.AST, function: str) -> Iterator[tuple[str, _Fault]]:
    """The faults below a node, each with the function it is in as Python names it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            above = f"{function}.<locals>" if isinstance(node, ast.FunctionDef) else function
            yield from _faults(child, f"{above}.{child.name}".lstrip("."))
        elif not _is_beside_the_point(child):
            yield from ((function or "<module>", fault) for fault in _at(child))
            yield from _faults(child, function)


def _is_beside_the_point(node: ast.AST) -> bool:
    """Types are for mypy, texts and error messages for people."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.arguments)


def _at(node: ast.AST) -> Iterator[_Fault]:
    """What can be wrong with one node."""
    match node:
        case ast.If(test=test, body=[only], orelse=[]) if isinstance(only, _LEAVING):
            yield _Fault("guard off", test, "False")
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _Fault("negate", test, f"(not ({ast.unparse(test)}))")
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            swapped = _SWAPS[type(operator)]
            text = f"({ast.unparse(left)}) {swapped} ({ast.unparse(right)})"
            yield _Fault("compare", node, f"({text})")
        case ast.BoolOp(op=operator, values=values):
            word = " or " if isinstance(operator, ast.And) else " and "
            yield _Fault("and/or", node, f"({word.join(f'({ast.unparse(v)})' for v in values)})")
        case ast.Constant(value=0 | 1 | 2 as value) if not isinstance(value, bool):
            yield _Fault("plus one", node, str(value + 1))  # a large one is a limit by feel
        case ast.Expr(value=ast.Call()):
            yield _Fault("drop call", node, "pass")
