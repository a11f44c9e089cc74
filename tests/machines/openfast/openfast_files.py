"""Copies of the NREL 5 MW deck in which lines are changed or added."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from fem_mbd.cases._blades import DATA

FILES = DATA / "nrel5mw"
MAIN, ELASTO = "NREL_5MW.fst", "NREL_5MW_ElastoDyn.dat"
TOWER, BLADE = "NREL_5MW_ElastoDyn_Tower.dat", "NREL_5MW_ElastoDyn_Blade.dat"
BLADES_ONLY = {
    f"{name}": "False"
    for name in ("TwFADOF1", "TwFADOF2", "TwSSDOF1", "TwSSDOF2", "DrTrDOF", "YawDOF", "GenDOF")
}


def deck(folder: Path, main: str = MAIN, /, **files: Mapping[str, object]) -> Path:
    """The main file of a copy; values before keywords are changed, or added in a line of their own.

    Parameters
    ----------
    folder : of the copy
    main : main file of the deck
    files : values by keyword, by the end of the file's name: `main`, `elasto`, `tower`, `blade`, `servo`
    """
    for path in FILES.iterdir():
        shutil.copy(path, folder)
    names = {"main": main, "elasto": ELASTO, "tower": TOWER, "blade": BLADE, "servo": "NREL_5MW_ServoDyn.dat"}
    for file, values in files.items():
        path = folder / names[file]
        text = path.read_text()
        for keyword, value in values.items():
            pattern = rf"^[^\n]*?(\s){re.escape(keyword)}(\s)"
            line = rf"{value}\1{keyword}\2"
            text, found = re.subn(pattern, line, text, count=1, flags=re.M)
            if not found:
                text = f"title\n{value}   {keyword}   - added\n" + text
        path.write_text(text)
    return folder / main
