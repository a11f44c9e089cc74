"""Solve validation problems and write validation.md: `python -m tests.validation [NAME ...]`, all without names.

Exit status 1 when a number is outside its tolerance; the document marks it.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from tests.validation.document import DOCUMENT, FIGURES, Entry, compose, entries, read, section
from tests.validation.pictures import draw


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    known = entries()
    options = _options(arguments, [entry.problem.name for entry in known])
    sections = read(DOCUMENT.read_text(encoding="utf-8")) if DOCUMENT.exists() else {}
    chosen = [e for e in known if not options.names or e.problem.name in options.names]
    missed = 0
    FIGURES.mkdir(parents=True, exist_ok=True)
    for entry in chosen:
        start = time.perf_counter()
        solution = entry.problem.solve()
        draw(solution.pictures, FIGURES / f"{entry.problem.name}.png")
        sections[entry.problem.name] = section(entry, solution)
        missed += len(solution.missed)
        _write(sections, known)
        sys.stdout.write(
            f"{entry.problem.name:24} worst {solution.worst:6.2f} of what is allowed, "
            f"{len(solution.missed)} off, {time.perf_counter() - start:.1f} s\n"
        )
        sys.stdout.flush()
    _write(sections, known)
    return 1 if missed else 0


def _options(arguments: Sequence[str] | None, names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.validation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"problems to solve: {', '.join(names)}")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(names))
    if unknown:
        parser.error(f"there is no problem {', '.join(unknown)}; there are {', '.join(names)}")
    return options


def _write(sections: dict, known: list[Entry]) -> None:
    """After every problem, so that an interrupted run has left what it has done; figures of none are removed."""
    order = [entry.problem for entry in known]
    DOCUMENT.write_text(compose(sections, order), encoding="utf-8")
    for figure in FIGURES.glob("*.png"):
        if figure.stem not in {problem.name for problem in order}:
            figure.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
