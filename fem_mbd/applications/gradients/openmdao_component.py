"""Function `to_openmdao`: a run as a component of OpenMDAO, with exact derivatives for its optimisers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.growth import LARGEST
from fem_mbd.applications.gradients import outputs
from fem_mbd.applications.gradients.gradient import Build, DifferentiableRun, gradient, parameter_values
from fem_mbd.base.dependencies import need
from fem_mbd.core.linear_solvers.petsc import has_petsc, petsc
from fem_mbd.errors import FemMbdError, InputError


def to_openmdao(
    build: Build,
    of: Mapping[str, Any],
    wrt: Mapping[str, float],
    *,
    units: Mapping[str, str] | None = None,
    scale: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> Any:
    """An ``openmdao.api.ExplicitComponent``. Needs openmdao (``pip install 'fem_mbd[openmdao]'``).

    Its inputs are the parameters, its outputs the numbers ``of``, all scalars. Derivatives are those of
    `fem_mbd.gradient`; a run that fails raises OpenMDAO's ``AnalysisError``, from which its optimisers step back.

    Parameters
    ----------
    build, of, scale, largest_growth : as for `fem_mbd.gradient`; names must be identifiers
    wrt : parameters by name, with their values at the start
    units : of parameters and outputs by name, in OpenMDAO's notation ("m", "N/m"); by default none

    Raises
    ------
    InputError
        For names that are not identifiers, and units of unknown names.
    MissingDependency
        Without openmdao.
    """
    om = import_openmdao()
    component: Any = om.ExplicitComponent

    start, units_by_name = parameter_values(wrt), dict(units or {})
    _check_names((*start, *of), units_by_name)

    class SimulationComponent(component):
        """One run of the simulation at each evaluation."""

        def setup(self) -> None:
            for name, value in start.items():
                self.add_input(name, value, units=units_by_name.get(name))
            for name in of:
                self.add_output(name, units=units_by_name.get(name))
            self.declare_partials(list(of), list(start))

        def compute(self, inputs: Any, outputs_by_name: Any) -> None:
            for name, value in _with_analysis_error(om, lambda: _values(build, of, _plain(inputs))).items():
                outputs_by_name[name] = value

        def compute_partials(self, inputs: Any, partials: Any) -> None:
            def derivatives() -> Any:
                return gradient(build, of, _plain(inputs), scale=scale, largest_growth=largest_growth)

            result = _with_analysis_error(om, derivatives)
            for output, row in zip(result.outputs, result.jacobian, strict=True):
                for name, slope in zip(result.parameters, row, strict=True):
                    partials[output, name] = slope

    return SimulationComponent()


def _check_names(names: tuple[str, ...], units: Mapping[str, str]) -> None:
    """InputError unless parameters and outputs have identifiers as names, and units refer to these names."""
    for name in names:
        if not name.isidentifier():
            raise InputError(
                f"to_openmdao: {name!r} cannot be a variable's name: give an identifier, peak='…'"
            )
    unknown = set(units) - set(names)
    if unknown:
        raise InputError(
            f"to_openmdao: units of {', '.join(sorted(unknown))}, which are not parameters or outputs"
        )


def import_openmdao() -> Any:
    """Module ``openmdao.api``.

    If PETSc is used, it is initialised first: initialised by OpenMDAO it would handle signals (a closed pipe ends the
    program), and MPI would open network ports.
    """
    need("openmdao")
    if has_petsc():
        petsc()
    import openmdao.api

    return openmdao.api


def _plain(inputs: Any) -> dict[str, float]:
    return {name: float(np.asarray(value).item()) for name, value in inputs.items()}


def _values(build: Build, of: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, float]:
    """The outputs of one run by name."""
    run = DifferentiableRun(build, values, "to_openmdao")
    checked = outputs.checked(of, run.quantities)
    return {name: run.evaluate(partial(outputs.value, output)) for name, output in checked.items()}


def _with_analysis_error(om: Any, evaluate: Any) -> Any:
    """Result of an evaluation; OpenMDAO's ``AnalysisError`` where it fails."""
    try:
        return evaluate()
    except FemMbdError as error:
        raise om.AnalysisError(str(error)) from error
