"""The laws of the package with ordinary parameters, and the table `fem-mbd laws` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd import friction as f
from fem_mbd.friction.probes import FEATURES, drive, features
from fem_mbd.plots import new_figure, save, styled

K, SHARES = (4e4, 3e4, 2e4, 1e4), (0.1, 0.2, 0.3, 0.4)
LAWS: tuple[Any, ...] = (
    f.Coulomb(0.1, 1e-3), f.LinearRegularised(0.1, 1e3), f.TanhRegularised(0.1, 1e3), f.Threlfall(0.1, 1e-3),
    f.LinearStiction(0.15, 0.1, 1e-3, 2e-3), f.BengisuAkay(0.15, 0.1, 1e-3, 50.0), f.Ambrosio(0.1, 1e-4, 1e-3),
    f.GeneralKinetic(0.15, 0.1, 1e-3, 3e-3), f.DryCoulomb(0.1), f.CoulombStiction(0.15, 0.1),
    f.CoulombViscous(0.1, 0.1), f.HessSoom(0.15, 0.1, 1e-3, 0.1), f.BoPavelescu(0.15, 0.1, 1e-3, 2.0, 0.1),
    f.Karnopp(0.15, 0.1, 1e-3), f.Switch(0.15, 0.1, 1e-3, 10.0), f.Awrejcewicz(0.15, 0.1, 1e-3),
    f.SevenParameter(1e5, 0.1, 0.1, 0.05, 1e-3, 0.01, 1.0), f.Wojewoda(0.15, 0.1, 1e-3, 1e5), f.Iwan(0.1, 1e5),
    f.Dahl(0.1, 1e5), f.Bristles(1e4, 1e-6), f.ResetIntegrator(0.1, 0.5, 1e5, 10.0), f.BlimanSorine(0.1, 1e-6),
    f.BlimanSorine(0.2, 1e-5, 0.1, 0.3), f.HarnoyFriedland(1.0, 0.05, 20.0, 0.9, 50.0, 1e-5),
    f.LuGre(sigma0=1e5, sigma1=100.0, sigma2=0.1, mu_s=0.15, mu_k=0.1, v_s=1e-3),
    f.ElastoPlastic(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3), f.Leuven(0.15, 0.1, 1e-3, K, SHARES, 10.0, 0.1, 2.0),
    f.GeneralisedMaxwellSlip(0.15, 0.1, 1e-3, K, SHARES, 100.0, 0.1),
    f.Gonthier(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3, 2.0), f.Liang(0.15, 0.1, 5e4, 8.0, 1e-3), f.Valanis(0.1, 1e5, 0.6),
)  # fmt: skip


def label(law: Any) -> str:
    """Name of the law; Bliman and Sorine's two orders apart."""
    order = (" 2" if law.f_2 > 0 else " 1") if isinstance(law, f.BlimanSorine) else ""
    return type(law).__name__ + order


def table(as_json: bool) -> str:
    """Text or JSON of the features of all laws."""
    found = {label(law): features(law) for law in LAWS}
    if as_json:
        return json.dumps(found, indent=2)
    lines = [f"{'law':24s}" + "".join(f"{name:>12s}" for name in FEATURES)]
    lines += [
        f"{name:24s}" + "".join(f"{'yes' if row[key] else '-':>12s}" for key in FEATURES)
        for name, row in found.items()
    ]
    return "\n".join(lines)


def draw(folder: Path) -> list[Path]:
    """A figure per law: coefficient over velocity and over displacement; files named after the laws."""
    folder.mkdir(parents=True, exist_ok=True)
    files, t = [], np.linspace(0.0, 4.0 * np.pi, 4000)
    with styled():
        for law in LAWS:
            figure, axes = new_figure(1, 2, width=6.0, height=2.2, share_x=False)
            for axis, amplitude, period in ((axes[0, 0], 5e-3, 0.2), (axes[0, 1], 2e-4, 0.1)):
                speed, dt = amplitude * np.sin(t), period / 2000
                mus = drive(law, speed, dt)[0]
                path = np.cumsum(speed) * dt
                axis.plot(1e3 * (speed if amplitude == 5e-3 else 1e3 * path), mus)
                axis.set_ylabel("coefficient [-]")
            axes[0, 0].set_xlabel("slip velocity [mm/s]")
            axes[0, 1].set_xlabel("displacement [µm]")
            figure.suptitle(label(law), fontsize=9)
            files.append(save(figure, folder / f"{label(law).replace(' ', '_')}.png"))
    return files
