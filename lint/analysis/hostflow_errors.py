"""Which status codes of CUDA calls are looked at, and which launches are asked after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cudalint.lint.analysis.host import is_status
from cudalint.lint.analysis.hosteffects import ApiCall, Choice, Enter, Item, LaunchCall, Loop, NotUnderstood
from cudalint.lint.analysis.hostflow import ERROR_QUERIES, RELEASES, HostFlow, may_do_anything
from cudalint.lint.model.expressions import Expr, Launch
from cudalint.lint.model.source import Span

CLEARING = (
    ERROR_QUERIES
    | RELEASES
    | {
        "cudaDeviceReset",
        "cudaProfilerStart",
        "cudaProfilerStop",
        "cuGetErrorName",
        "cuGetErrorString",
        "cudaStreamQuery",
        "cudaEventQuery",
    }
)
"""Calls whose status nobody need look at: they clear the error state, clean up or only serve tools."""
FEW = 5
"""From this many ignored calls on, a file that mostly ignores them is reported once, with the count."""

StatusItem = ApiCall | LaunchCall | Enter


@dataclass(frozen=True, slots=True)
class StatusCall:
    """A call that returns a CUDA status: its name, where it stands, and whether anything looks at it."""

    name: str
    span: Span
    expr: Expr
    function: str
    checked: bool


def status_calls(flow: HostFlow) -> list[StatusCall]:
    """Every call whose status matters, once per place; checked when any way through the code looks at it."""
    found: dict[tuple[str, int, int], StatusCall] = {}
    for visit in flow.visits:
        item = visit.item
        name = _status_name(item)
        if name is None or not isinstance(item, (ApiCall, LaunchCall, Enter)):
            continue
        expr = item.launch if isinstance(item, LaunchCall) else item.call
        key = (item.span.file, item.span.offset, item.span.end_offset)
        before = found.get(key)
        checked = item.used or (before is not None and before.checked)
        found[key] = StatusCall(name, item.span, expr, visit.run.function.qualified, checked)
    return sorted(found.values(), key=lambda c: c.span.start)


def _status_name(item: Item) -> str | None:
    """The called function's name where its status is one that should be looked at."""
    if isinstance(item, ApiCall):
        return item.name if is_status(item.call.type) and item.name not in CLEARING else None
    if isinstance(item, LaunchCall):
        return item.launch.via if item.launch.via != "<<<>>>" else None
    if isinstance(item, Enter) and item.status:
        return item.run.function.name
    return None


def by_style(
    places: Sequence[tuple[Span, bool, str]], beside: Sequence[tuple[Span, bool, str]] = ()
) -> tuple[list[int], dict[str, list[int]]]:
    """Which unchecked places to report one by one, and which to report together.

    `places` are spans, whether they are checked, and the function they are in. Indexes into it are returned:
    single ones, and by file, or by function, those that are reported once: all of a file whose style is to
    check nothing (at least `FEW` unchecked, and fewer checked, `beside` counted in), and `FEW` or more of one
    function. `beside` are the places of the other kind, calls or launches: a style shows in both.
    """
    unchecked: dict[str, list[int]] = {}
    checked: Counter[str] = Counter()
    for index, (span, is_checked, _) in enumerate(places):
        if is_checked:
            checked[span.file] += 1
        else:
            unchecked.setdefault(span.file, []).append(index)
    elsewhere = Counter(span.file for span, is_checked, _ in beside if not is_checked)
    checked.update(span.file for span, is_checked, _ in beside if is_checked)
    single: list[int] = []
    whole: dict[str, list[int]] = {}
    for file, indexes in unchecked.items():
        ignored = len(indexes) + elsewhere[file]
        if len(indexes) > 1 and ignored >= FEW and checked[file] < ignored:
            whole[file] = indexes
            continue
        functions: dict[str, list[int]] = {}
        for index in indexes:
            functions.setdefault(places[index][2], []).append(index)
        for function, inside in functions.items():
            if len(inside) >= FEW:
                whole[f"{file} {function}"] = inside
            else:
                single.extend(inside)
    return single, whole


def check_macro(flow: HostFlow) -> str | None:
    """The macro that the code checks calls with: the commonest one around calls that are looked at."""
    used: Counter[str] = Counter()
    for call in status_calls(flow):
        macro = call.span.macro
        if call.checked and macro and _alone(flow, call.span) and flow.program.text(call.span).startswith(call.name):
            used[macro] += 1
    common = used.most_common(1)
    return common[0][0] if common else None


def _alone(flow: HostFlow, call: Span) -> bool:
    """Whether a call is all that its macro is given: one that wants a message too cannot be put around others."""
    data = flow.program.files.get(call.file, b"")
    before, after = data[: call.offset].rstrip(), data[call.end_offset :].lstrip()
    head = before.removesuffix(b"(").rstrip()
    return before.endswith(b"(") and head.endswith((call.macro or "").encode()) and after.startswith(b")")


# -- launches --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaunchCheck:
    """A launch, and whether any way through the code asks for its error afterwards."""

    launch: Launch
    span: Span
    function: str
    checked: bool


def launch_checks(flow: HostFlow) -> list[LaunchCheck]:
    """Every `<<<>>>` launch, once per place. A query that comes before the launch does not count."""
    found: dict[tuple[str, int, int], LaunchCheck] = {}
    after = _Afterwards()
    for root in flow.host.roots:
        after.backwards(root.body, False)
    for visit in flow.visits:
        item = visit.item
        if not isinstance(item, LaunchCall) or item.launch.via != "<<<>>>":
            continue
        key = (item.span.file, item.span.offset, item.span.end_offset)
        before = found.get(key)
        checked = item.id in after.checked or (before is not None and before.checked)
        found[key] = LaunchCheck(item.launch, item.span, visit.run.function.qualified, checked)
    return sorted(found.values(), key=lambda c: c.span.start)


class _Afterwards:
    """Walks effects backwards, knowing whether an error query may follow."""

    def __init__(self) -> None:
        self.checked: set[int] = set()

    def backwards(self, items: list[Item], follows: bool) -> bool:
        """Mark launches that a query may follow; whether one may follow the start of these effects."""
        for item in reversed(items):
            follows = self._before(item, follows)
        return follows

    def _before(self, item: Item, follows: bool) -> bool:
        match item:
            case LaunchCall():
                if follows:
                    self.checked.add(item.id)
            case ApiCall():
                return follows or _asks(item)
            case Choice():
                then = self.backwards(item.then, follows)
                return self.backwards(item.otherwise, follows) or then
            case Loop():
                again = self.backwards(item.body, follows)
                return self.backwards(item.body, True) if again and not follows else again
            case Enter():
                return self.backwards(item.run.body, follows)
            case NotUnderstood():
                return True
            case _:
                pass
        return follows


def _asks(call: ApiCall) -> bool:
    """Whether a call may report a rejected launch: an error query that is used, or a function out of sight."""
    return call.used if call.name in ERROR_QUERIES else may_do_anything(call)


def call_places(flow: HostFlow) -> list[tuple[Span, bool, str]]:
    """The status calls as `by_style` takes them."""
    return [(c.span, c.checked, c.function) for c in status_calls(flow)]


def launch_places(flow: HostFlow) -> list[tuple[Span, bool, str]]:
    """The launches as `by_style` takes them."""
    return [(c.span, c.checked, c.function) for c in launch_checks(flow)]
