"""Random integer expressions and programs: the executor against one thread at a time in plain Python."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from cudalint.lint.analysis.execute import execute
from cudalint.lint.analysis.trace import AccessKind, LaunchShape, ShapeSource, Taint
from cudalint.lint.frontend import parse_file
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

BITS = {"int": (32, True), "unsigned": (32, False), "long long": (64, True), "unsigned char": (8, False)}
BLOCK, BLOCKS = 40, 2
Node = tuple[Any, ...]


# -- the reference ---------------------------------------------------------------------------------------------


def wrap(value: int, kind: str) -> int:
    bits, signed = BITS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def common(a: str, b: str) -> str:
    if "long long" in (a, b):
        return "long long"
    return "unsigned" if "unsigned" in (a, b) else "int"


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": truncated,
    "%": lambda a, b: a - b * truncated(a, b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def value(node: Node, env: dict[str, tuple[int, str]]) -> tuple[int, str]:  # noqa: C901 - one case per operator
    match node:
        case ("const", number, kind):
            return number, kind
        case ("name", name):
            return env[name]
        case ("cast", kind, inner):
            return wrap(value(inner, env)[0], kind), kind
        case ("neg", op, inner):
            number, kind = value(inner, env)
            kind = common(kind, "int")
            return wrap(-number if op == "-" else ~number, kind), kind
        case ("not", inner):
            return int(not value(inner, env)[0]), "int"
        case ("cond", test, yes, no):
            chosen, other = (yes, no) if value(test, env)[0] else (no, yes)
            number, kind = value(chosen, env)
            kind = common(kind, value(other, env)[1])
            return wrap(number, kind), kind
        case ("logic", op, left, right):
            first = bool(value(left, env)[0])
            if first == (op == "||"):
                return int(first), "int"
            return int(bool(value(right, env)[0])), "int"
        case ("shift", op, left, count):
            number, kind = value(left, env)
            kind = common(kind, "int")
            return wrap(number << count if op == "<<" else wrap(number, kind) >> count, kind), kind
        case ("bin", op, left, right):
            (a, ka), (b, kb) = value(left, env), value(right, env)
            kind = common(ka, kb)
            a, b = wrap(a, kind), wrap(b, kind)
            if op in "/%":
                b = wrap(b | 1, kind)
            result = OPERATIONS[op](a, b)
            return (result, "int") if op in {"<", "<=", "==", "!="} else (wrap(result, kind), kind)
    raise AssertionError(node)


def text(node: Node) -> str:
    match node:
        case ("const", number, kind):
            return f"{number}{'u' if kind == 'unsigned' else 'LL' if kind == 'long long' else ''}"
        case ("name", name):
            return str(name)
        case ("cast", kind, inner):
            return f"(({kind})({text(inner)}))"
        case ("neg", op, inner):
            return f"({op}({text(inner)}))"
        case ("not", inner):
            return f"(!({text(inner)}))"
        case ("cond", test, yes, no):
            return f"(({text(test)}) ? ({text(yes)}) : ({text(no)}))"
        case ("logic" | "bin", op, left, right):
            right_text = text(right)
            return f"(({text(left)}) {op} ({right_text}{' | 1' if op in {'/', '%'} else ''}))"
        case ("shift", op, left, count):
            return f"(({text(left)}) {op} {count})"
    raise AssertionError(node)


# -- random programs -------------------------------------------------------------------------------------------

NAMES = {"t": "int", "b": "int", "u": "unsigned", "w": "long long"}


def expressions(names: list[str]) -> st.SearchStrategy[Node]:
    leaves = st.one_of(
        st.sampled_from([("name", n) for n in names]),
        st.tuples(st.just("const"), st.integers(0, 70), st.sampled_from(["int", "unsigned", "long long"])),
    )

    def grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        return st.one_of(
            st.tuples(st.just("bin"), st.sampled_from(sorted(OPERATIONS)), inner, inner),
            st.tuples(st.just("shift"), st.sampled_from(["<<", ">>"]), inner, st.integers(0, 9)),
            st.tuples(st.just("logic"), st.sampled_from(["&&", "||"]), inner, inner),
            st.tuples(st.just("neg"), st.sampled_from(["-", "~"]), inner),
            st.tuples(st.just("not"), inner),
            st.tuples(st.just("cast"), st.sampled_from(sorted(BITS)), inner),
            st.tuples(st.just("cond"), inner, inner, inner),
        )

    return st.recursive(leaves, grow, max_leaves=8)


class Left(Exception):  # noqa: N818
    """break, continue or return."""


def statements(depth: int = 2) -> st.SearchStrategy[Node]:
    names = ["t", "b", "x", "y"]
    assign = st.tuples(st.just("set"), st.sampled_from(["x", "y"]), expressions(names))
    leave = st.tuples(st.just("leave"), st.sampled_from(["return", "break", "continue"]), expressions(names))
    simple = st.one_of(assign, assign, leave)
    if depth == 0:
        return simple
    body = st.lists(statements(depth - 1), min_size=1, max_size=3)
    return st.one_of(
        simple,
        st.tuples(st.just("if"), expressions(names), body, body),
        st.tuples(st.just("for"), st.integers(0, 4), body),
    )


def source_of(body: list[Node], depth: int = 0, in_loop: bool = False) -> str:
    lines = []
    for node in body:
        match node:
            case ("set", name, expr):
                lines.append(f"{name} = {text(expr)};")
            case ("leave", how, expr):
                if how == "return" or in_loop:
                    lines.append(f"if ({text(expr)}) {how};")
            case ("if", test, yes, no):
                then, otherwise = source_of(yes, depth, in_loop), source_of(no, depth, in_loop)
                lines.append(f"if ({text(test)}) {{ {then} }} else {{ {otherwise} }}")
            case ("for", count, inner):
                var = f"i{depth}"
                lines.append(
                    f"for (int {var} = 0; {var} < {count}; ++{var}) {{ {source_of(inner, depth + 1, True)} }}"
                )
    return " ".join(lines)


def run(body: list[Node], env: dict[str, tuple[int, str]], in_loop: bool = False) -> None:  # noqa: C901
    for node in body:
        match node:
            case ("set", name, expr):
                env[name] = wrap(value(expr, env)[0], "int"), "int"
            case ("leave", how, expr):
                if (how == "return" or in_loop) and value(expr, env)[0]:
                    raise Left(how)
            case ("if", test, yes, no):
                run(yes if value(test, env)[0] else no, env, in_loop)
            case ("for", count, inner):
                for _ in range(count):
                    try:
                        run(inner, env, True)
                    except Left as left:
                        if left.args[0] == "return":
                            raise
                        if left.args[0] == "break":
                            break


def environment(thread: int, block: int) -> dict[str, tuple[int, str]]:
    known = {"t": thread, "b": block, "u": thread * 2654435761, "w": (thread - 20) * 123456789123}
    return {name: (wrap(known[name], kind), kind) for name, kind in NAMES.items()}


PRELUDE = """int t = threadIdx.x, b = blockIdx.x; unsigned u = threadIdx.x * 2654435761u;
long long w = (t - 20) * 123456789123LL;"""
SHAPE = LaunchShape((BLOCK, 1, 1), (BLOCKS, 1, 1), ShapeSource.OPTION)
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


SIGNED: list[Node] = [
    ("bin", op, ("name", left), ("const", right, "int")) for op in "/%" for left in "wt" for right in (6, 7)
] + [("bin", op, ("neg", "-", ("name", "t")), ("name", "b")) for op in "/%"]


@FEW
@example(SIGNED)
@given(st.lists(expressions(list(NAMES)), min_size=6, max_size=6))
def test_expressions_match_c(nodes: list[Node]) -> None:
    stores = " ".join(f"out[{i}] = {text(node)};" for i, node in enumerate(nodes))
    source = f"__global__ void k(long long *out) {{ {PRELUDE} {stores} }}"
    program = parse_file("test.cu", content=source.encode())
    trace = execute(program, program.kernels()[0], SHAPE, blocks=BLOCKS)
    found = [a for a in trace.accesses() if a.kind is AccessKind.STORE]
    assert trace.complete and not trace.unknown
    for node, store in zip(nodes, found, strict=True):
        expected = [wrap(value(node, environment(t, b))[0], "long long") for b in range(BLOCKS) for t in range(BLOCK)]
        assert store.value is not None and list(store.value) == expected, text(node)
        assert store.value_taint == Taint.EXACT


@FEW
@given(st.lists(st.lists(statements(), min_size=2, max_size=4), min_size=3, max_size=3))
def test_programs_match_one_thread_at_a_time(bodies: list[list[Node]]) -> None:
    kernels = [
        f"__device__ void f{i}(int t, int b, int &x, int &y) {{ {source_of(body)} }}"
        f"__global__ void k{i}(int *out) {{ int x = 1, y = threadIdx.x;"
        f" f{i}(threadIdx.x, blockIdx.x, x, y); out[0] = x; out[1] = y; }}"
        for i, body in enumerate(bodies)
    ]
    program = parse_file("test.cu", content="\n".join(kernels).encode())
    for body, kernel in zip(bodies, program.kernels(), strict=True):
        trace = execute(program, kernel, SHAPE, blocks=BLOCKS)
        expected = []
        for block in range(BLOCKS):
            for thread in range(BLOCK):
                env = environment(thread, block) | {"x": (1, "int"), "y": (thread, "int")}
                with suppress(Left):
                    run(body, env)
                expected.append((env["x"][0], env["y"][0]))
        x, y = (a for a in trace.accesses() if a.kind is AccessKind.STORE)
        assert x.mask.all() and trace.complete and x.value is not None and y.value is not None
        assert list(zip(x.value.tolist(), y.value.tolist(), strict=True)) == expected, source_of(body)
