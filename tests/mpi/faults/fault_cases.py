"""The faults, and what every rank has to see of each.

A fault's options and points are explained in injector.hpp.
"""

import dataclasses
import itertools

# Each config of the walk has a batch for its first run, and one for the other two.
WALK = ("0", "3", "5")  # the last one of their batch
WITHIN_BATCH = "4"  # as is the first iteration of the search
ALL_PHASES = WALK + ("search", "final")
# The others wait in the region's own communication when a rank does not get past these points.
BEFORE_COMMUNICATION = ("before_iteration", "before_comm")
INSIDE = ("before_comm", "after_comm", "in_launch", "before_iteration", "after_iteration")
DEADLINE_EXIT_CODE = 84
ON_DEADLINE_EXIT_CODE = 85


@dataclasses.dataclass(frozen=True)
class Expected:
    """What one rank may see: outcomes of the fault's run, and how its error names ranks.

    names: "culprit" (exactly that rank), "includes" (that rank, perhaps others), "majority" (that rank; with two
    ranks, which have no majority, both) or "" (not checked).
    """

    outcomes: tuple
    names: str = ""
    message: str = ""  # part of the message of an error


OK = Expected(("ok",))
BLOCKED = Expected((f"exit {DEADLINE_EXIT_CODE}",))
MISSING = Expected(("CommunicationError",), "culprit")


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a fault happens."""

    point: str = ""
    iteration: str = "0"


@dataclasses.dataclass(frozen=True)
class Case:
    """One kind of fault.

    places: of a fault that poisons the communicator, taken in turn, each in an mpirun of its own. points and
    iterations: of the others, which are repeated in one mpirun.
    """

    name: str
    kind: str
    expected: object  # (place, is_culprit) -> Expected
    places: tuple = ()
    points: tuple = ("",)
    iterations: tuple = ("0",)
    options: tuple = ()
    completes: bool = False  # the run goes on, without what was rejected
    regions: tuple = ("",)  # suffixes of the names of the regions that are run
    wake: bool = False  # a rank that stopped is continued once all others are out
    all_stop: bool = False  # all ranks are stopped for longer than deadline and grace, and continued together
    one_culprit: bool = False  # of an mpirun: what it did lasts, or would mix up logs of runs without a hello
    logs: bool = True  # the culprit writes a log

    def culprit_known(self, place, ranks):
        """Can it be seen in the logs? Not of two ranks that differ, nor where all are blocked alike."""
        if self.completes or self.name == "config_all":
            return False
        expected = self.expected(place, False)
        if expected.names == "majority":
            return ranks > 2
        all_may_be_blocked = self.wake or self.kind == "blocked"
        return expected == MISSING or not all_may_be_blocked

    @property
    def rejects_config(self):
        return self.completes and not self.all_stop

    @property
    def poisons(self):
        return bool(self.places)

    @property
    def stops(self):
        return self.kind == "stop"


def places(points, iterations=ALL_PHASES):
    inside = [point for point in points if point not in ("between", "prepare")]
    found = [Place(point) for point in points if point not in inside]
    iterations += (WITHIN_BATCH,)  # the others go on to the next iteration
    found += [Place(point, iteration) for iteration, point in itertools.product(iterations, inside)]
    return tuple(found)


def same_for_all(expected):
    return lambda place, is_culprit: expected


def by_role(culprit, others):
    return lambda place, is_culprit: culprit if is_culprit else others


def seen_by_others(place):
    """What the others see of a rank that never comes back from this place."""
    if place.point in BEFORE_COMMUNICATION:
        return BLOCKED
    if place.iteration in (WITHIN_BATCH, "search"):
        # Those that come to the next communication wait for it in there; a batch may also be over.
        return Expected(BLOCKED.outcomes + MISSING.outcomes, "includes")
    return MISSING


def lost(culprit_outcome):
    def expected(place, is_culprit):
        return Expected((culprit_outcome,)) if is_culprit else seen_by_others(place)

    return expected


def woken(place, is_culprit):
    """Continued after the others are gone, it is told so, or waits in the region for those that left."""
    if not is_culprit:
        return seen_by_others(place)
    return Expected(("CommunicationError",) + BLOCKED.outcomes)


def thrown_early(place, is_culprit):
    """The others wait in the region, so the rank that threw waits for them in vain."""
    return Expected(("Injected",)) if is_culprit else BLOCKED


def all_rejected_early(place, is_culprit):
    """The launch throws, and the others wait for this rank in the communication after it."""
    return Expected(("TuningFailedError",), "", "injected") if is_culprit else BLOCKED


THROWN = by_role(Expected(("Injected",)), Expected(("RegionFailedError",), "culprit", "injected"))
REFUSED = by_role(Expected(("InvalidArgument",)), Expected(("RegionFailedError",), "culprit"))


def mismatch(message=""):
    return same_for_all(Expected(("RankMismatchError",), "majority", message))


def either(place, is_culprit):
    """In a ring only the next rank must be blocked."""
    if is_culprit:
        return Expected(("signal 9",))
    return Expected(BLOCKED.outcomes + MISSING.outcomes, "includes")


def environment(name, expected, logs=True):
    """The library reads it once, so there is no healthy run, and no other culprit in the same processes."""
    options = ("--fresh-tuner", "--no-healthy")
    return Case(name, name, expected, options=options, one_culprit=True, logs=logs)


CASES = (
    # A config fails on one rank.
    Case("config_rejected", "config_rejected", same_for_all(OK), completes=True),
    Case("config_status", "config_status", same_for_all(OK), completes=True),
    Case("config_prepare", "config_prepare", same_for_all(OK), completes=True),
    Case("config_all", "config_all", same_for_all(Expected(("TuningFailedError",), "", "injected"))),
    Case("config_all_before_comm", "config_all_before_comm", all_rejected_early, places=(Place(),)),
    # A rank throws.
    # Not within a batch: the others would wait for the next communication.
    Case("throw", "throw", THROWN, points=("after_comm", "in_launch", "after_iteration"), iterations=WALK + ("final",)),
    Case("throw_before_comm", "throw", thrown_early, places=places(BEFORE_COMMUNICATION)),
    # A rank launches something else.
    Case("extra_launch", "extra_launch", mismatch('"extra"'), iterations=ALL_PHASES),
    Case("missing_launch", "missing_launch", mismatch('"second"'), iterations=ALL_PHASES),
    Case("repeated_launch", "repeated_launch", mismatch('"first"'), iterations=ALL_PHASES),
    Case("other_key", "other_key", mismatch('"first"'), iterations=ALL_PHASES),
    Case("other_order", "other_order", mismatch("first"), iterations=ALL_PHASES),
    # A rank is set up otherwise.
    Case("other_space", "other_space", mismatch("first")),
    Case("smaller_space", "smaller_space", mismatch("first")),
    Case("other_options", "other_options", mismatch("n_repeat=3")),
    Case("invalid_options", "invalid_options", REFUSED, one_culprit=True),
    environment("environment_mode", mismatch("mode=off"), logs=False),
    environment("environment_always_tune", mismatch("always_tune=true")),
    environment("environment_invalid", REFUSED, logs=False),
    Case("other_region", "other_region", mismatch("-other")),
    Case("other_region_order", "other_region_order", mismatch("-b"), regions=("-a", "-b")),
    # A rank is lost.
    Case("exit", "exit", lost("exit 3"), places=places(("between", "prepare") + INSIDE)),
    Case("std_exit", "std_exit", lost("exit 7"), places=places(("between", "prepare") + INSIDE)),
    Case("return", "return", by_role(Expected(("exit 7",)), MISSING), places=(Place(),)),
    Case("kill", "kill", lost("signal 9"), places=places(("between", "prepare") + INSIDE)),
    Case("kill_in_ring", "kill", either, places=places(("before_comm",)), options=("--ring",)),
    Case("stop", "stop", lost("signal 9"), places=places(("between", "prepare") + INSIDE)),
    Case("stop_and_continue", "stop", woken, places=places(("between", "prepare") + INSIDE), wake=True),
    # A rank is blocked in a receive that nothing matches.
    Case("blocked", "blocked", lost(f"exit {DEADLINE_EXIT_CODE}"), places=places(("prepare",) + INSIDE)),
    # All ranks are stopped together, as by a job's suspension: nobody is late.
    Case(
        "stop_all",
        "stop",
        same_for_all(OK),
        places=places(("prepare", "before_comm", "after_comm", "before_iteration", "after_iteration"), WALK),
        completes=True,
        all_stop=True,
    ),
    Case(
        "blocked_on_deadline",
        "blocked",
        lost(f"exit {ON_DEADLINE_EXIT_CODE}"),
        places=places(("prepare", "after_comm", "in_launch", "after_iteration"), WALK)[:-3],
        options=("--on-deadline",),
    ),
)
