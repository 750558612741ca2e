"""All findings of a run whose kernels need their program: project by project, on one or several GPUs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.model.expressions import Storage
from cudalint.verify.device import Device
from cudalint.verify.judge import RACES
from cudalint.verify.program import Program
from cudalint.verify.program_copy import project_folder
from cudalint.verify.program_runner import ProgramOptions, Runner
from cudalint.verify.run import Work, same_rewrite
from cudalint.verify.store import Store
from cudalint.verify.verdict import Verdict, Verification

Progress = Callable[[int, int, Diagnostic, Verification], None]


def verify_programs(
    work: Sequence[Work],
    options: ProgramOptions,
    devices: Sequence[Device],
    *,
    store: Path | None = None,
    progress: Progress | None = None,
) -> dict[int, Verification]:
    """The verdict for each piece of work, by index: findings of one project share its build, devices the projects."""
    projects: dict[Path, list[Work]] = {}
    for item in work:
        folder = options.folder or project_folder(Path(item.unit.program.path))
        projects.setdefault(folder, []).append(item)
    todo: queue.SimpleQueue[tuple[Path, list[Work]]] = queue.SimpleQueue()
    for pair in projects.items():
        todo.put(pair)
    done: dict[int, Verification] = {}
    lock = threading.Lock()

    def note(group: Sequence[Work], made: Verification) -> None:
        with lock:
            done.update((item.index, made) for item in group)
            if progress:
                progress(len(done), len(work), group[0].finding, made)

    def drive(device: Device) -> None:
        while True:
            try:
                folder, items = todo.get_nowait()
            except queue.Empty:
                return
            with Runner(folder, options, device) as runner:
                Program(runner, Store(store)).verify(same_rewrite(items), note)

    threads = [threading.Thread(target=drive, args=(device,), daemon=True) for device in devices[: len(projects)]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def needs_program(item: Work, made: Verification | None) -> bool:
    """Whether a finding is still to be looked at in its program: what was seen apart says nothing, or not enough."""
    if made is None or made.verdict in {Verdict.NOT_VERIFIABLE, Verdict.FAILED}:
        return True
    if item.finding.code in RACES and made.verdict is Verdict.NO_GAIN:
        return True
    return bool(made.assumed_sizes) or _fills_variables(item.unit)


def _fills_variables(unit: Unit) -> bool:
    """Whether there are device variables that the host fills: apart from it they hold nothing that is meant."""
    filled = {Storage.CONSTANT, Storage.DEVICE, Storage.MANAGED}
    return any(g.symbol.storage in filled and g.init is None for g in unit.program.globals)


def better(apart: Verification | None, inside: Verification) -> Verification:
    """The verdict to show: the program's, unless that one says nothing and the kernel alone said something.

    Then the program's reason is kept among the inputs.
    """
    silent = inside.verdict is Verdict.NOT_VERIFIABLE
    if not silent or apart is None or apart.verdict is Verdict.NOT_VERIFIABLE:
        return inside
    return replace(apart, inputs=(*apart.inputs, inside.reason))
