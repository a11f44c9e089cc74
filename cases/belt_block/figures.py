"""The source's figures 3.20 to 3.24."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.cases.belt_block.laws import GROUPS, LAWS
from fem_mbd.cases.belt_block.parameters import Parameters
from fem_mbd.cases.belt_block.results import Block
from fem_mbd.cases.belt_block.set_up import chosen
from fem_mbd.plots import Panel, draw_panels, legend, new_figure, save, styled
from fem_mbd.results import Result


def plot(result: Result, parameters: Parameters, folder: Path) -> list[Path]:
    """One figure over time for each group of laws, and force over displacement and velocity of all of them."""
    paths = []
    for number, group in enumerate(GROUPS, 20):
        blocks = {
            LAWS[n].title: Block(result, parameters, n) for n in chosen(parameters) if LAWS[n].group == group
        }
        if not blocks:
            continue
        name = group.replace(" ", "_")
        panels = [
            Panel("position [m]", {title: b.position for title, b in blocks.items()}),
            Panel("relative velocity [m/s]", {title: b.slip for title, b in blocks.items()}),
            Panel("friction force [N]", {title: b.friction for title, b in blocks.items()}),
        ]
        paths.append(
            draw_panels(folder / f"fig3_{number}_{name}.png", result.time, panels, title=f"Laws: {group}")
        )
        paths.append(_force(blocks, folder / f"fig3_24_force_{name}.png", group))
    return paths


def _force(blocks: dict[str, Block], path: Path, group: str) -> Path:
    with styled():
        figure, axes = new_figure(1, 2, height=3.6, share_x=False)
        for title, b in blocks.items():
            axes[0, 0].plot(b.position, b.friction, label=title, linewidth=0.8)
            axes[0, 1].plot(b.slip, b.friction, linewidth=0.8)
        axes[0, 0].set(xlabel="displacement [m]", ylabel="friction force [N]")
        axes[0, 1].set(xlabel="relative velocity [m/s]", ylabel="friction force [N]")
        legend(axes[0, 0], columns=2)
        figure.suptitle(f"Laws: {group}", fontsize=11, x=0.75)
        return save(figure, path)
