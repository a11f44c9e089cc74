"""A small machine as HAWC2 input: tower of 20 m, tilted shaft with generator, three blades of 8 m."""

from pathlib import Path

SMALL = Path(__file__).parent / "small"
TEXTS = {name: (SMALL / name).read_text() for name in ("htc/main.htc", "htc/bodies.htc", "data/all_st.dat")}


def write_machine(folder: Path, old: str = "", new: str = "", number: int = 1) -> Path:
    """The main file; ``old`` is replaced by ``new`` at its first ``number`` places in whichever file has it."""
    (folder / "data").mkdir(exist_ok=True)
    (folder / "htc").mkdir(exist_ok=True)
    assert not old or any(old in text for text in TEXTS.values())
    for name, text in TEXTS.items():
        (folder / name).write_text(text.replace(old, new, number) if old else text)
    return folder / "htc/main.htc"
