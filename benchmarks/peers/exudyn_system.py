"""Exudyn models from the building blocks shared by the problems: bodies, beams, joints, loads, a timed solve.

This module is imported only when Exudyn runs, in its own process (`peer`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.comparison.outcome import Outcome
from fem_mbd.base.arrays import Array

ALL_SIX, IN_PLANE_POINT = (1, 1, 1, 1, 1, 1), (1, 1, 0, 0, 0, 0)
SAMPLES_PER_INTERVAL = 10


class ExudynSystem:
    """A system under construction. Nodes, markers and sensors are Exudyn's own indices."""

    def __init__(self) -> None:
        import exudyn
        from exudyn import utilities

        # its type stubs and its modules disagree
        self.exu: Any = exudyn
        self.histories: list[Array] = []  # of the sensors in the last solve, time in the first column
        self.lib: Any = utilities
        self._container = exudyn.SystemContainer()  # owns the system: must not be garbage-collected
        self.mbs = self._container.AddSystem()
        ground = self.mbs.AddObject(utilities.ObjectGround())
        self.ground = self.mbs.AddMarker(
            utilities.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0])
        )
        point = self.mbs.AddNode(utilities.NodePointGround())
        self._zero = self.mbs.AddMarker(utilities.MarkerNodeCoordinate(nodeNumber=point, coordinate=0))

    # -- parts ----------------------------------------------------------------------------------------------

    def beam(
        self,
        start: ArrayLike,
        end: ArrayLike,
        elements: int,
        stiffness: ArrayLike,
        mass: float,
        inertia: ArrayLike,
    ) -> list[int]:
        """Nodes of a beam of two-node elements; stiffness (6,) and inertia (3,) in section axes, mass per m."""
        lib, a, b = self.lib, np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        section = self.exu.BeamSection()
        section.stiffnessMatrix, section.inertia = np.diag(stiffness), np.diag(inertia)
        section.massPerLength = mass
        length = float(np.linalg.norm(b - a))
        turn = lib.RotationMatrixZ(np.arctan2(b[1] - a[1], b[0] - a[0]))  # all beams start in the x-y plane
        rotation = list(lib.RotationMatrix2EulerParameters(turn))
        places = a + np.linspace(0, 1, elements + 1)[:, None] * (b - a)
        nodes = [
            self.mbs.AddNode(lib.NodeRigidBodyEP(referenceCoordinates=[*place, *rotation]))
            for place in places
        ]
        for pair in zip(nodes, nodes[1:], strict=False):
            self.mbs.AddObject(
                lib.ObjectBeamGeometricallyExact(
                    nodeNumbers=list(pair), physicsLength=length / elements, sectionData=section
                )
            )
        return nodes

    def body(
        self,
        place: ArrayLike,
        mass: float,
        inertia: ArrayLike,
        velocity: ArrayLike = (0, 0, 0),
        spin: float = 0.0,
    ) -> tuple[int, int]:
        """Node and object of a rigid body on three angles about x, y, z, rotating with `spin` (rad/s) about z."""
        lib = self.lib
        node = self.mbs.AddNode(
            lib.NodeRigidBodyRxyz(
                referenceCoordinates=[*np.asarray(place, dtype=float), 0, 0, 0],
                initialVelocities=[*np.asarray(velocity, dtype=float), 0, 0, spin],
            )
        )
        tensor = [*np.asarray(inertia, dtype=float), 0, 0, 0]
        return node, self.mbs.AddObject(
            lib.ObjectRigidBody(nodeNumber=node, physicsMass=mass, physicsInertia=tensor)
        )

    def hold(self, node: int, *coordinates: int) -> None:
        """Fix coordinates of a node at their initial values."""
        for coordinate in coordinates:
            self._constrain(node, coordinate)

    def drive(
        self, node: int, coordinate: int, value: Callable[[float], float], rate: Callable[[float], float]
    ) -> None:
        """Prescribe a coordinate of a node as a function of time, with its rate."""
        self._constrain(
            node, coordinate,
            offsetUserFunction=lambda mbs, t, item, offset: value(t),
            offsetUserFunction_t=lambda mbs, t, item, offset: rate(t),
        )  # fmt: skip

    def _constrain(self, node: int, coordinate: int, **functions: Any) -> None:
        marker = self.mbs.AddMarker(self.lib.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
        self.mbs.AddObject(self.lib.CoordinateConstraint(markerNumbers=[self._zero, marker], **functions))

    def at_node(self, node: int) -> int:
        return self.mbs.AddMarker(self.lib.MarkerNodeRigid(nodeNumber=node))

    def at_body(self, body: int, place: ArrayLike) -> int:
        return self.mbs.AddMarker(
            self.lib.MarkerBodyRigid(bodyNumber=body, localPosition=list(np.asarray(place, dtype=float)))
        )

    def join(self, first: int, second: int, axes: tuple[int, ...] = ALL_SIX, turn: float = 0.0) -> None:
        """Join two markers; `turn` (rad, about z) is the initial rotation of the second relative to the first."""
        self.mbs.AddObject(
            self.lib.GenericJoint(
                markerNumbers=[first, second],
                constrainedAxes=list(axes),
                rotationMarker0=self.lib.RotationMatrixZ(turn),
            )
        )

    def load(self, marker: int, history: Callable[[float], list[float]], moment: bool = False) -> None:
        """A force or moment, fixed in space."""
        kind = self.lib.Torque if moment else self.lib.Force
        self.mbs.AddLoad(
            kind(
                markerNumber=marker,
                loadVector=[0, 0, 0],
                loadVectorUserFunction=lambda mbs, t, load: history(t),
            )
        )

    def watch(self, node: int, quantity: str = "Position") -> int:
        """A sensor of a node: "Position", "Displacement", "Velocity"."""
        kind = getattr(self.exu.OutputVariableType, quantity)
        return self.mbs.AddSensor(
            self.lib.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True)
        )

    # -- solve ----------------------------------------------------------------------------------------------

    def solve(
        self,
        steps: int,
        times: Array,
        sensors: list[int],
        *,
        rho: float = 0.9,
        full_newton: bool = False,
        sparse: bool = True,
        adaptive: bool = True,
        settle: Callable[[Any], None] | None = None,
    ) -> Outcome:
        """Generalised-alpha over `steps` equal steps to times[-1]; samples are the sensors' values in columns.

        `rho`: spectral radius; without `full_newton` factorisations are reused; `adaptive` lets Exudyn reduce steps
        where Newton fails; `settle` may change further settings.
        """
        settings = self.exu.SimulationSettings()
        scheme = settings.timeIntegration
        scheme.endTime, scheme.numberOfSteps = float(times[-1]), steps
        scheme.generalizedAlpha.spectralRadius = rho
        scheme.newton.useModifiedNewton = not full_newton
        # the defaults, 1e-8 and 1e-10, cost a third more at the same error
        scheme.newton.relativeTolerance = scheme.newton.absoluteTolerance = 1e-6
        scheme.adaptiveStep = adaptive
        scheme.verboseMode = 0
        kinds = self.exu.LinearSolverType
        settings.linearSolver.solverType = kinds.EigenSparse if sparse else kinds.EXUdense
        settings.displayStatistics = settings.displayComputationTime = False
        settings.solution.file.write = False
        interval = float(times[1] - times[0]) if len(times) > 1 else scheme.endTime
        settings.solution.sensors.writePeriod = max(scheme.endTime / steps, interval / SAMPLES_PER_INTERVAL)
        if settle is not None:
            settle(settings)
        self.mbs.Assemble()
        return self._timed(settings, steps, times, sensors)

    def _timed(self, settings: Any, steps: int, times: Array, sensors: list[int]) -> Outcome:
        start = time.process_time()
        try:
            complete = self.mbs.SolveDynamic(settings) is not False
        except Exception:  # Exudyn's failures have no exception type of their own
            complete = False
        seconds = time.process_time() - start
        histories = [np.asarray(self.mbs.GetSensorStoredData(sensor)) for sensor in sensors]
        samples = np.column_stack(
            [
                np.interp(times, history[:, 0], column, right=np.nan if not complete else None)
                for history in histories
                for column in history[:, 1:].T
            ]
        )
        self.histories = histories
        done = self.mbs.sys["dynamicSolver"].it
        return Outcome(
            float(steps), int(done.currentStepIndex) - 1, int(done.newtonStepsCount), int(done.newtonJacobiCount),
            seconds, samples, float(histories[0][-1, 0]), complete,
        )  # fmt: skip
