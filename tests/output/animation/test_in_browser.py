"""Tests of the animation page in a real browser: drawing, motion, beam positions, no network requests."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from tests.output.animation.browser import Browser
from tests.output.animation.conftest import HOSTILE, RADIUS, TUBE, close

FLOAT = 1e-6  # m: places of the size of a metre in 32-bit numbers


@pytest.fixture(scope="module")
def page(swing: fm.Result, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Path:
    path = tmp_path_factory.mktemp("page") / "swing.html"
    fm.animate(swing, path)
    browser.open(path, "#t=0")
    return path


def test_it_moves_and_asks_for_nothing(page: Path, browser: Browser) -> None:
    first = browser.picture()
    browser.value("femMbd.seek(0.3)")
    last = browser.picture()
    browser.value("femMbd.seek(0)")
    again = browser.picture()
    changed = np.abs(first - last).max(axis=2) > 0.1
    middle = changed[150:400, 200:1000]
    assert middle.mean() > 0.002
    assert close(first, again, 1e-6)
    assert browser.errors == []
    assert {request.partition("#")[0] for request in browser.requests} == {page.as_uri()}


def test_playing_goes_on_by_itself(page: Path, browser: Browser) -> None:
    browser.value("femMbd.seek(0); femMbd.play(true)")
    moved = "femMbd.view.time > 0.01 ? done(1) : requestAnimationFrame(f)"
    assert browser.value(f"new Promise((done) => {{ const f = () => {moved}; f(); }})") == 1
    browser.value("femMbd.play(false)")


def test_what_does_not_apply_is_not_shown(page: Path, browser: Browser) -> None:
    """A run has no list of shapes, and colouring by beam has no legend; the arrows' length can be changed."""
    shown = "getComputedStyle(document.getElementById('%s')).display !== 'none'"
    assert [browser.value(shown % name) for name in ("takes", "legend", "arrowsize")] == [False, False, True]


def test_software_draws_simply_and_then_finely(page: Path, browser: Browser) -> None:
    """Without a graphics card: no shadows, half of the faces, and twice the pixels once the picture is still."""
    assert browser.value("quality.software && !femMbd.view.stage.renderer.shadowMap.enabled")
    assert browser.value("[quality.faces(40), quality.faces(10)]") == [20, 8]
    wide = "stage.renderer.domElement.width / window.innerWidth"
    browser.picture()
    assert browser.value(f"(({{ stage }}) => {wide})(femMbd.view)") == 2
    browser.value("femMbd.seek(0.05)")
    # a moving picture has at most one pixel for one of the screen, on a slow machine fewer
    moving = browser.value(
        f"(({{ stage }}) => {{ stage.stale = true; stage.draw(0); return {wide}; }})(femMbd.view)"
    )
    assert moving == browser.value("femMbd.view.stage.pace") and 0.5 <= moving <= 1


def test_names_stay_names(page: Path, browser: Browser) -> None:
    assert browser.value("document.getElementById('title').textContent") == HOSTILE
    assert browser.value("document.title") == HOSTILE
    assert browser.value("typeof window.broken") == "undefined"
    assert browser.value("document.images.length") == 0


def rings(browser: Browser, element: int) -> np.ndarray:
    """(rings, points, 3) m of an element's surface as the page has it."""
    tube = f"const t = femMbd.view.tubes[{element}]"
    numbers = browser.value(
        f"(() => {{ {tube}; return [t.ringCount, t.sides, ...t.position.subarray(0, 3 * t.wall)]; }})()"
    )
    return np.array(numbers[2:]).reshape(int(numbers[0]), int(numbers[1]), 3)


def test_beam_lies_on_its_arc(page: Path, browser: Browser) -> None:
    """The arc of the model: radius 1 about (0, 1, 0) in the plane z = 0, outline of radius 20 mm."""
    browser.value("femMbd.seek(0)")
    surface = np.concatenate([rings(browser, 0), rings(browser, 1)])
    centre = surface.mean(axis=1)
    # remainder of the cubic through Lobatto points of an arc of 2 h: max |(x^2 - 1)(x^2 - 1/5)| h^4 / 4!, h = 0.25
    assert close(np.linalg.norm(centre - (0, RADIUS, 0), axis=1), RADIUS, 0.2 * 0.25**4 / 24 + FLOAT)
    assert close(centre[:, 2], 0.0, FLOAT)
    assert close(np.linalg.norm(surface - centre[:, None], axis=2), TUBE, FLOAT)


def test_beam_is_where_the_run_has_it(page: Path, browser: Browser, swing: fm.Result) -> None:
    browser.value("femMbd.seek(0.2)")
    centre = np.concatenate([rings(browser, 0), rings(browser, 1)]).mean(axis=1)
    at = np.concatenate([np.linspace(0, 0.5, 9), np.linspace(0.5, 1, 9)])
    row = int(np.argmin(np.abs(swing.output_time - 0.2)))
    assert close(centre, swing.of("arc").position(at)[row], FLOAT)


def test_colour_follows_the_section_force(page: Path, browser: Browser) -> None:
    titles = browser.value("femMbd.view.quantities.map((q) => q.title)")
    browser.value("femMbd.seek(0.1)")
    tint = "Array.from(femMbd.view.tubes[0].tint).join()"
    plain = browser.value(tint)
    browser.value(f"femMbd.view.colour({titles.index('M2')})")
    assert browser.value(tint) != plain
    browser.value("femMbd.view.colour(-1)")
    assert browser.value(tint) == plain


def test_a_closed_form_of_the_picture(page: Path, browser: Browser) -> None:
    """The box is a fixed distance from the joint's axis: its node's place in the page keeps that distance."""
    for time in (0.0, 0.13, 0.29):
        browser.value(f"femMbd.seek({time})")
        place = browser.value(
            "(() => { const b = femMbd.view.groups.bodies[0].object.matrix.elements; return [b[12], b[13], b[14]]; })()"
        )
        assert np.hypot(place[0], place[2]) == pytest.approx(np.sin(1.0), rel=0.05)
