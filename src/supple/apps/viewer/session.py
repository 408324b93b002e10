"""The session of a page: its setup, its pose, and the thread that solves for it.

The event loop queues messages, a worker thread handles them. Of `Want` messages only the latest is
kept: those that arrive during a solve replace each other. All others are handled in order. Sessions
share nothing but the library of opened files.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from supple import costs
from supple.apps.character.motion import Motion
from supple.apps.viewer import (
    bodies,
    describe,
    export,
    lowered,
    meshes,
    model,
    motion_report,
    offers,
    scenes,
)
from supple.apps.viewer.bounds import Bounds, bounds
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import (
    BodiesWanted,
    CheckWanted,
    Costs,
    FileHead,
    FromPage,
    GoalPlace,
    Key,
    KeyTaken,
    KeyWanted,
    MotionEdits,
    Offer,
    Ping,
    Pong,
    PoseShown,
    Refused,
    Report,
    ResetWanted,
    SaveWanted,
    Setup,
    SetupSent,
    StepsWanted,
    TraceWanted,
    Want,
    Working,
    json_codec,
)
from supple.apps.viewer.messages.binary import packet, pose_frame
from supple.apps.viewer.motion_edits import EditedMotion, EditedMotions
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError
from supple.model.skeleton import Pose
from supple.solve.solution import Solution
from supple.solve.trace import Trace

log = logging.getLogger("supple")

Emit = Callable[[str | bytes, int | None], None]
"""Sends something to the page; for a pose frame with its slot, where a newer one replaces it."""


class Session:
    """The state of one page. `receive` and `close` may be called from any thread.

    Args:
        library: The opened files.
        emit: Sends something to the page.
        kernels: True if the page has kernels to solve with.

    Attributes:
        setup: The current setup.
        subject: What is shown.
        model: What is solved.
        poses: The pose shown for each solver.
        solutions: The latest solution of each solver; None if nothing was solved.
        want: The latest goals that were handled.
        wants: Number of `Want` messages received.
    """

    def __init__(self, library: Library, emit: Emit, *, kernels: bool = False) -> None:
        self.setup = Setup()
        self.subject: Subject | None = None
        self.model: model.Model | None = None
        self.poses: list[Pose] = []
        self.solutions: list[Solution | None] = []
        self.want: Want | None = None
        self.wants = 0
        self.revision = 0
        self._seq = 0
        self._kernels = kernels
        self._clip: tuple[Any, ...] | None = None  # what the motion that was sent last depends on
        self._clips = 0
        self._warm = False
        self._trace: Trace | None = None
        self._around: Bounds | None = None
        self._edits = EditedMotions()
        self._edited: EditedMotion | None = None  # the motion that plays
        self._library = library
        self._emit = emit
        self._ready = threading.Condition()
        self._orders: deque[FromPage] = deque()
        self._latest: Want | None = None
        self._closed = False
        self._worker = threading.Thread(target=self._work, name="supple session", daemon=True)
        self._worker.start()

    # From the event loop --------------------------------------------------------------------------

    def receive(self, text: str) -> None:
        """Queue a message of the page; an invalid one is answered with `Refused`, not raised."""
        try:
            message = json_codec.read(text)
        except json_codec.MessageError as error:
            self._emit(json_codec.write(Refused(seq=error.seq, text=str(error))), None)
            return
        if isinstance(message, Ping):
            self._emit(json_codec.write(Pong()), None)
            return
        with self._ready:
            if isinstance(message, Want):
                self.wants += 1
                self._latest = message
            else:
                if isinstance(message, PoseShown):
                    self._latest = None  # goals that came before it, and still wait
                self._orders.append(message)
            self._ready.notify()

    def close(self) -> None:
        """End the session; its thread ends after the current solve."""
        with self._ready:
            self._closed = True
            self._ready.notify()

    # The worker -----------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._ready:
                while not (self._orders or self._latest or self._closed):
                    self._ready.wait()
                if self._closed:
                    return
                if self._orders:
                    task: FromPage = self._orders.popleft()
                else:
                    assert self._latest is not None
                    task, self._latest = self._latest, None
            self._attempt(task)

    def _attempt(self, task: FromPage) -> None:
        seq = task.seq if isinstance(task, SetupSent) else 0
        try:
            self._do(task)
        except SuppleError as error:
            possible = self._offers(task.setup) if isinstance(task, SetupSent) else []
            self._say(Refused(seq=seq, text=str(error), offers=possible))
        except Exception as error:
            log.exception("the playground could not do %s", type(task).__name__)
            self._say(Refused(seq=seq, text=f"something went wrong: {error!r}"))

    def _do(self, task: FromPage) -> None:
        if isinstance(task, (Want, PoseShown)) and task.revision != self.revision:
            return  # sent before the page received the current scene
        if self.model is None and not isinstance(task, SetupSent):
            raise SuppleError("there is nothing on the stage yet: expected a setup first")
        match task:
            case SetupSent():
                self._set_up(task.seq, task.setup)
            case Want():
                self.want = task
                self._solve()
            case PoseShown():
                self._take(task)
            case TraceWanted():
                self._tell_trace(rest=task.rest, quiet=task.quiet)
            case StepsWanted():
                self._tell_steps(task.iteration)
            case KeyWanted():
                key = Key(time=task.time, coordinates=self.poses[0].coordinates.tolist())
                self._say(KeyTaken(key=key))
            case BodiesWanted():
                assert self.subject is not None and self.model is not None
                self._say(bodies.described(self.subject, self.model.bodies))
            case ResetWanted():
                self._reset()
            case SaveWanted():
                name, data = export.file_of(self._shown(), task.format)
                self._emit(packet(FileHead(name=name), {"data": data}), None)
            case CheckWanted():
                self._tell_check()

    def _say(self, message: Any) -> None:
        self._emit(json_codec.write(message), None)

    def _offers(self, setup: Setup) -> list[Offer]:
        """What would make a refused setup possible, if it is one for a solver."""
        if self.subject is None or scenes.scene_key(setup) != scenes.scene_key(self.setup):
            return []
        if (setup.solver, setup.compare) == (self.setup.solver, self.setup.compare):
            return []
        return offers.offers(self.subject, setup)

    # Setting up -----------------------------------------------------------------------------------

    def _set_up(self, seq: int, setup: Setup) -> None:
        same = self.subject is not None and scenes.scene_key(setup) == scenes.scene_key(self.setup)
        if setup.retarget is not None and not same:
            self._say(Working(what="Retargeting"))
        subject = self.subject if same else scenes.build(setup, self._library)
        assert subject is not None
        new = model.build(subject, setup)
        edited = None
        if new.motion is not None:
            edited = self._edit(subject, new.motion, setup.edits.get(new.playing or ""))
            new = replace(new, motion=edited.motion)
        playing = None if self.model is None else self.model.playing
        begins = new.motion is not None and (not same or new.playing != playing)
        before = self.poses[0] if same and self.poses else subject.start
        if begins:
            before = _first(new, subject)
        start = model.carried(before, new.skeleton)
        old = self.subject
        alike = old is not None and old.key == subject.key  # growing again may give the same joints
        drawn = old is not None and alike and old.meshes == subject.meshes
        if not same or new.playing != playing:
            self._around = bounds(subject, None if new.playing == model.KEYFRAMES else new.motion)
        other = edited is not None and edited is not self._edited
        self.setup, self.subject, self.model, self._edited = setup, subject, new, edited
        self.poses = [start] * max(len(new.prepared), 1)
        self.solutions = [None] * len(self.poses)
        self._seq = seq
        if not same:
            self._trace = None
        if not alike or begins:
            self.want = None
        self._tell_scene(start)
        for slot in range(len(self.poses)):
            self._show(slot, seq=0, ordered=True)  # before anything is solved
        solved_by_page = self._tell_problems()
        if not same:
            for one in meshes.packets(subject, self.revision) if not drawn else ():
                self._emit(one, None)
            if subject.source is not None:
                self._emit(subject.source.packet(), None)
            if subject.trace is not None:
                self._trace = subject.trace
                self._emit(describe.trace(subject.trace, subject.goals[0].effector), None)
        self._warm = False
        if new.motion is not None and edited is not None and (begins or other):
            name, contacts = new.playing or "", edited.contacts
            self._emit(describe.motion(new.motion, name, up=subject.up, contacts=contacts), None)
        if self.want is not None and not solved_by_page:
            self._solve()

    def _edit(self, subject: Subject, motion: Motion, edits: MotionEdits | None) -> EditedMotion:
        edits = edits or MotionEdits()
        if (edits.plant or edits.repair) and self._edits.kept(motion, edits) is None:
            self._say(Working(what="Repairing the motion" if edits.repair else "Planting feet"))
        return self._edits.of(subject, motion, edits)

    def _tell_problems(self) -> bool:
        """Send what the page needs to solve by itself; False if only Python can."""
        assert self.model is not None and self.subject is not None
        motion = self.model.motion
        if not self._kernels or not self.model.prepared or not lowered.fits(motion):
            return False
        rest = model.carried(self.subject.start, self.model.skeleton)
        own = lowered.Own.of([*self.poses, rest, *([] if motion is None else [motion.poses])])
        effectors = tuple(goal.effector for goal in self.model.goals) if any(own) else ()
        clip = (id(motion), self.model.skeleton.freedom_table.coordinate_count, own, effectors)
        fresh = motion is not None and clip != self._clip
        if fresh:
            self._clips += 1
        number = 0 if motion is None else self._clips
        packets = lowered.problems(
            self.model, self.poses, rest, own=own, revision=self.revision, clip=number
        )
        if not packets:
            return False
        if fresh and motion is not None:
            self._clip = clip  # the model keeps the motion, so that its id stays its own
            name = self.model.playing or ""
            self._emit(lowered.clip(motion, name, self.model, own=own, number=number), None)
        for one in packets:
            self._emit(one, None)
        return True

    def _take(self, shown: PoseShown) -> None:
        """Take the poses that the page has solved for: they are saved, and edits start from them."""
        assert self.model is not None
        self.want = Want(seq=shown.seq, revision=shown.revision, goals=shown.goals, time=shown.time)
        width = self.model.skeleton.freedom_table.coordinate_count
        if [len(row) for row in shown.coordinates] != [width] * len(self.poses):
            raise SuppleError(
                f"shown: expected {len(self.poses)} poses of {width} coordinates, got "
                f"{[len(row) for row in shown.coordinates]}"
            )
        for slot, row in enumerate(shown.coordinates):
            start = self.start_pose(slot)
            coordinates = np.array(row)
            self.poses[slot] = Pose(start.skeleton, coordinates, start.translations, start.scales)
            self.solutions[slot] = None

    def _warm_up(self) -> None:
        """Solve once, so that compiling a solver does not count in the time shown."""
        assert self.model is not None
        self._warm = True
        targets = self.model.targets({}, self.poses[0]) if self.model.prepared else []
        with contextlib.suppress(SuppleError):  # raised and reported again by the real solve
            for problem in self.model.prepared:
                problem(*targets, start=self.poses[0])

    def _reset(self) -> None:
        """Return to the initial pose; the page gets the scene again, with the goals' initial positions."""
        assert self.model is not None and self.subject is not None
        start = model.carried(_first(self.model, self.subject), self.model.skeleton)
        self.poses = [start] * len(self.poses)
        self.solutions = [None] * len(self.poses)
        self.want = None
        self._tell_scene(start)
        for slot in range(len(self.poses)):
            self._show(slot, seq=0, ordered=True)
        self._tell_problems()

    def _tell_scene(self, pose: Pose) -> None:
        assert self.model is not None and self.subject is not None and self._around is not None
        self.revision += 1
        self._say(
            describe.scene(
                self.subject,
                self.model,
                seq=self._seq,
                revision=self.revision,
                pose=pose,
                around=self._around,
                contacts=None if self._edited is None else self._edited.info(),
            )
        )

    # Solving --------------------------------------------------------------------------------------

    def places(self) -> dict[str, GoalPlace]:
        """The positions of the goals, by id."""
        return {} if self.want is None else {place.id: place for place in self.want.goals}

    def start_pose(self, slot: int) -> Pose:
        """The pose that the next solve starts from."""
        assert self.model is not None and self.subject is not None
        if self.model.motion is not None:
            now = self.model.motion.at(self.want.time if self.want is not None else 0.0)
            return model.carried(now, self.model.skeleton)
        if self.setup.start == "rest":
            return model.carried(self.subject.start, self.model.skeleton)
        return self.poses[slot]

    @property
    def _solves(self) -> bool:
        """True if there is anything to solve; a motion plays unchanged until a goal is placed."""
        assert self.model is not None
        if not self.model.prepared or self.model.motion is None:
            return bool(self.model.prepared)
        placed = self.places()
        return self.setup.correct and any(goal.id in placed for goal in self.model.goals)

    def _solve(self) -> None:
        assert self.model is not None and self.want is not None
        seq = self.want.seq
        if not self._solves:
            self.poses = [self.start_pose(slot) for slot in range(len(self.poses))]
            self.solutions = [None] * len(self.poses)
            for slot in range(len(self.poses)):
                self._show(slot, seq=seq)
            return
        if not self._warm:
            self._warm_up()
        failure: SuppleError | None = None
        for slot, problem in enumerate(self.model.prepared):
            start = self.start_pose(slot)
            targets = self.model.targets(self.places(), start)
            began = time.perf_counter_ns()
            try:
                solution = problem(*targets, start=start)
            except SuppleError as error:
                self.poses[slot], self.solutions[slot] = start, None
                self._show(slot, seq=seq)  # for example, uneven scales: shown but not solved
                failure = error
                continue
            micros = (time.perf_counter_ns() - began) / 1000
            self.solutions[slot] = solution
            self.poses[slot] = solution.pose
            self._show(slot, seq=seq, micros=micros)
        if failure is not None:
            raise failure

    def _show(self, slot: int, *, seq: int, micros: float = 0.0, ordered: bool = False) -> None:
        """Send a pose; a later one may replace it while it waits, unless it is `ordered`."""
        assert self.model is not None
        pose, solution = self.poses[slot], self.solutions[slot]
        report, figures = self._report(pose, solution)
        frame = pose_frame(
            pose, report, seq=seq, revision=self.revision, slot=slot, micros=micros, **figures
        )
        self._emit(frame, None if ordered else slot)

    def _report(self, pose: Pose, solution: Solution | None) -> tuple[Report, dict[str, Any]]:
        """The report of a pose, and its figures for the header of the pose frame."""
        assert self.model is not None and self.subject is not None
        grown = self.subject.ended if self.model.motion is None else None
        if solution is not None:
            ended, solver = solution, solution.asked.solver
            figures = {"orientation_error": solution.orientation_error}
        elif grown is not None:
            ended, solver, figures = grown, grown.solver, {}
        else:
            ended, solver, figures = None, "", {}
        if ended is not None:
            figures |= {
                "iterations": ended.iterations,
                "reached": bool(ended.reached),
                "error": ended.error,
            }
        compared = solution is not None and len(self.poses) > 1
        touching = None if solution is None else solution.collision
        report = Report(
            status="" if ended is None else ended.status.words,
            reason="" if ended is None else ended.reason,
            solver=solver,
            active=self.model.active(pose),
            costs=self._costs(pose) if compared else None,
            morphs=meshes.morph_weights(
                self.model.motion, self.want.time if self.want is not None else 0.0
            ),
            touching=[] if touching is None else [touching.a, touching.b],
        )
        return report, figures

    def _costs(self, pose: Pose) -> Costs:
        assert self.model is not None and self.subject is not None
        rest = model.carried(self.subject.start, self.model.skeleton)
        return Costs(
            sum_of_turns=float(costs.sum_of_turns(rest, pose)),
            largest_turn=float(costs.largest_turn(rest, pose)),
            tip_path=float(costs.tip_path(rest, pose, self.model.goals[0].effector)),
        )

    # Traces ---------------------------------------------------------------------------------------

    def _tell_trace(self, *, rest: bool, quiet: bool) -> None:
        assert self.model is not None and self.subject is not None
        if not self.model.prepared:
            raise SuppleError("there is nothing to solve here: nothing can move")
        start = model.carried(self.subject.start, self.model.skeleton) if rest else self.poses[0]
        if self.model.motion is not None:
            start = self.start_pose(0)
        targets = self.model.targets(self.places(), self.poses[0])
        solution = self.model.prepared[0].solve(*targets, start=start, trace=True)
        if solution.trace is None:
            raise SuppleError(f"{solution.asked.solver} left no trace")
        self._trace = solution.trace
        effector = self.model.goals[0].effector
        if not quiet:
            self._emit(describe.trace(solution.trace, effector, solution), None)

    def _tell_steps(self, iteration: int) -> None:
        if self._trace is None:
            raise SuppleError("there is no trace to step through; record one first")
        self._emit(describe.steps(self._trace, iteration), None)

    # Checking ------------------------------------------------------------------------------------

    def _tell_check(self) -> None:
        if self.subject is None or self._edited is None:
            raise SuppleError("check: expected a motion that plays; choose one first")
        self._say(Working(what="Checking the motion"))
        self._say(motion_report.report(self.subject, self._edited))

    # Saving ---------------------------------------------------------------------------------------

    def _shown(self) -> export.Shown:
        assert self.model is not None and self.subject is not None
        places = self.places() if self.setup.correct else {}
        return export.Shown(self.subject, self.model, self.poses[0], places, self._trace)


def _first(now: model.Model, subject: Subject) -> Pose:
    """The initial pose: the first of the motion, or else that of the subject."""
    return subject.start if now.motion is None else now.motion.at(0.0)
