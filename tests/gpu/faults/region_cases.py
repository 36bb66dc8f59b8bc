"""The faults of a region on GPUs, and what every rank has to see of each.

A fault's kind is explained in region_under_fault.hpp. It happens in a tuning iteration of the walk, right before the
layer, on the last rank.
"""

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi" / "faults"))

import fault_cases
from fault_cases import DEADLINE_EXIT_CODE, OK, THROWN, Expected, Place, by_role, mismatch, same_for_all

PLACE = Place("before_layer", "5")
BLOCKED = f"exit {DEADLINE_EXIT_CODE}"
# The others wait for their call first, which fails, then in the exchange. A way out without an exception is allowed too.
LOST = by_role(Expected(("signal 9",)), Expected(("CommunicationError", BLOCKED), "culprit"))
# The culprit gives up waiting for its device, and tells the others if they still wait for it in the exchange.
OCCUPIED = by_role(
    Expected(("Error", BLOCKED)), Expected(("RegionFailedError", "CommunicationError", BLOCKED), "culprit")
)


@dataclasses.dataclass(frozen=True)
class RegionCase(fault_cases.Case):
    """One kind of fault."""

    hold: str = ""  # "short": longer than the wait budget, shorter than the deadline; "long": 15 s
    layer_fails: bool = True  # the call of the layer in which it happened, on the other ranks at least
    goes_on: bool = True  # the same processes use the workspace and the tuner again

    @property
    def rejects_config(self):
        return self.kind == "config"


CASES = (
    RegionCase("config", "config", same_for_all(OK), completes=True, layer_fails=False),
    RegionCase("throws", "throw", THROWN),
    RegionCase("skips", "skip", mismatch()),
    RegionCase("killed", "kill", LOST, goes_on=False),
    RegionCase("stopped", "stop", LOST, goes_on=False),
    RegionCase("flag", "hold", same_for_all(OK), completes=True, hold="short"),
    RegionCase("spins", "hold", OCCUPIED, hold="long", goes_on=False),
)
# A run of the same program in fresh processes, after every repetition.
NONE = RegionCase("none", "none", same_for_all(OK), completes=True, layer_fails=False)

SPINS_MS = 15_000
# Elements of the layer that are NaN since its call has failed: of one call, or of two where a batch had begun.
MOST_OF_FAILED_CALLS = 2 * 600 * 264


def hold_ms(case, deadline_ms, wait_budget_ms):
    """For how long the culprit's stream is occupied."""
    if case.hold == "long":
        return SPINS_MS
    return min(2000, (deadline_ms + wait_budget_ms) // 2)
