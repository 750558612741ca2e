"""Verify all findings of a run, on one or several GPUs side by side."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.verify.device import Device
from cudalint.verify.judge import RACES
from cudalint.verify.session import Session
from cudalint.verify.store import Store
from cudalint.verify.verdict import Verification
from cudalint.verify.verifier import Parse, Verifier, VerifyOptions, launched_kernels

Progress = Callable[[int, int, Diagnostic, Verification], None]


@dataclass(frozen=True, slots=True)
class Work:
    """A finding with the unit that it was made from. `index` is its place in the report."""

    index: int
    finding: Diagnostic
    unit: Unit


def verify_all(
    work: Sequence[Work],
    parse: Parse,
    options: VerifyOptions,
    devices: Sequence[Device],
    *,
    store: Path | None = None,
    progress: Progress | None = None,
) -> dict[int, Verification]:
    """The verdict for each piece of work, by index. One worker process per device takes the next piece."""
    groups = same_rewrite(work)
    todo: queue.SimpleQueue[list[Work]] = queue.SimpleQueue()
    for group in groups:
        todo.put(group)
    done: dict[int, Verification] = {}
    lock = threading.Lock()
    kept = Store(store)

    def drive(device: Device) -> None:
        own = replace(options, device=device.index)
        with Session() as session:
            verifier = Verifier(parse, own, session)
            for group in _drain(todo):
                made = _one(group[0], verifier, kept, device, own)
                with lock:
                    done.update((item.index, made) for item in group)
                    if progress:
                        progress(len(done), len(work), group[0].finding, made)

    threads = [threading.Thread(target=drive, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def same_rewrite(work: Sequence[Work]) -> list[list[Work]]:
    """Findings whose fixes are the same edits share one run: a padded tile answers for all its accesses."""
    groups: dict[tuple[object, ...], list[Work]] = {}
    for item in work:
        fix = item.finding.fix
        edits = fix.edits if fix is not None else ()
        key = (
            item.unit.program.path,
            item.finding.kernel,
            edits,
            item.finding.code in RACES if edits else item.index,
        )
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def _drain(todo: queue.SimpleQueue[list[Work]]) -> Iterable[list[Work]]:
    while True:
        try:
            yield todo.get_nowait()
        except queue.Empty:
            return


def _one(item: Work, verifier: Verifier, kept: Store, device: Device, options: VerifyOptions) -> Verification:
    settings = f"{options.compiler} {options.seeds} {options.budget_s} {options.argv} {options.specs}"
    if item.unit.elsewhere is not None and not launched_kernels(item.unit, item.finding):
        settings += f" {item.unit.elsewhere.fingerprint()}"
    key = kept.key(item.finding, item.unit.program, device, settings)
    known = kept.get(key)
    if known is not None:
        return known
    made = verifier.verify(item.finding, item.unit)
    kept.put(key, made)
    return made
