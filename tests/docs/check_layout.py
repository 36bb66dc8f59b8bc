#!/usr/bin/env python3
"""Checks the rules of docs/architecture.md about where files are and what they include.

- A room is a folder of src/contextual. It includes itself and the rooms that src/contextual/CMakeLists.txt adds before it.
- A component (testing, sync/mpi, cuda, sync/nccl) includes its own private headers and what is under include/contextual,
  no room's; of include/contextual/detail/<component> only that of a component that it stands on.
- A header and its source are found under matching paths.
- include/contextual/contextual.hpp includes every public header but those of the components.
"""

import pathlib
import re
import sys

# Sources that carry out what another header declares: its folder is the header's, or it implements a public interface.
OTHER_HEADERS = {
    "config/config_json.cpp": "contextual/config.hpp",
    "cuda/cupti/cupti_timer.cpp": "contextual/cuda/timer.hpp",
    "cuda/timing/cuda_timer.cpp": "contextual/cuda/timer.hpp",
    "cuda/timing/event_timer.cpp": "contextual/cuda/timer.hpp",
    "launch/suspects.cpp": "contextual/launch/run_context.hpp",
    "measure/host_timer.cpp": "contextual/timer.hpp",
    "policy/tuning_advance.cpp": "contextual/policy/tuning_state.hpp",
    "policy/tuning_observation.cpp": "contextual/policy/tuning_state.hpp",
    "sync/one_rank.cpp": "contextual/communicator.hpp",
}

COMPONENT_HEADERS = {"cuda.hpp", "cuda_runtime.hpp", "mpi.hpp", "nccl.hpp"}
COMPONENTS = ["testing", "sync/mpi", "sync/nccl", "cuda"]
STANDS_ON = {"sync/nccl": ["cuda"]}
INCLUDE = re.compile(r'^\s*#include ["<](contextual/[\w./]+)[">]', re.MULTILINE)


def includes_of(path):
    return INCLUDE.findall(path.read_text())


class Layout:
    def __init__(self, root):
        self.source = pathlib.Path(root) / "src" / "contextual"
        self.public = pathlib.Path(root) / "include" / "contextual"
        added = re.findall(r"^ *add_subdirectory\(([\w/]+)\)", (self.source / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.rooms = [room for room in added if room not in COMPONENTS]

    def place_of(self, path):
        """The room or component that a file of src/contextual is in; None for one that is in none."""
        relative = path.relative_to(self.source).as_posix()
        return next((place for place in COMPONENTS + self.rooms if relative.startswith(place + "/")), None)

    def place_of_include(self, include):
        """The room or component whose private or detail header this is; None for a public one."""
        name = include.removeprefix("contextual/")
        if name.startswith("detail/"):
            name = name.removeprefix("detail/")
        elif (self.public / name).exists():
            return None
        return next((place for place in COMPONENTS + self.rooms if name.startswith(place + "/")), None)


def check_direction(layout):
    """Yields what points up: of private files, and of include/contextual/detail/<room>."""
    files = [(path, layout.place_of(path)) for path in sorted(layout.source.rglob("*.[ch]pp"))]
    files += [
        (path, layout.place_of_include("contextual/" + path.relative_to(layout.public).as_posix()))
        for path in sorted((layout.public / "detail").rglob("*.hpp"))
    ]
    for path, place in files:
        if place is None:
            continue
        detail = layout.public in path.parents
        name = path.relative_to(layout.public if detail else layout.source).as_posix()
        for include in includes_of(path):
            other = layout.place_of_include(include)
            if other is None or other == place:
                continue
            if place in COMPONENTS:
                allowed = include.startswith("contextual/detail/") and other in layout.rooms + STANDS_ON.get(place, [])
            else:
                allowed = other in layout.rooms and layout.rooms.index(other) < layout.rooms.index(place)
            if not allowed:
                yield f"{name} includes {include}: {place} comes before {other}, or is a component"


def own_headers(place, stem):
    """Where a source's header may be, as it is included."""
    if place == ".":
        return [f"contextual/{stem}.hpp"]
    room = place.split("/")[0]
    return [f"contextual/{place}/{stem}.hpp", f"contextual/{stem}.hpp", f"contextual/{room}/{stem}.hpp",
            f"contextual/detail/{room}/{stem}.hpp"]


def check_paths(layout):
    """Yields sources without a header of their name in the place for it, and exceptions that are none any more."""
    sources = sorted(layout.source.rglob("*.cpp"))
    for path in sources:
        name = path.relative_to(layout.source).as_posix()
        folder = path.parent.relative_to(layout.source).as_posix()
        candidates = own_headers(folder, path.stem)
        found = [header for header in candidates
                 if (layout.source.parent / header).exists() or (layout.public.parent / header).exists()]
        if found and name in OTHER_HEADERS:
            yield f"OTHER_HEADERS has {name}, which has a header of its own: remove it from the list"
        wanted = found[0] if found else OTHER_HEADERS.get(name)
        if wanted is None:
            yield f"{name} has no header of its name beside it, in include/contextual or in include/contextual/detail"
        elif wanted not in includes_of(path):
            yield f"{name} does not include {wanted}"
    known = {path.relative_to(layout.source).as_posix() for path in sources}
    for name in sorted(set(OTHER_HEADERS) - known):
        yield f"OTHER_HEADERS has {name}, which is gone: remove it from the list"


def check_detail_headers(layout):
    """Yields detail headers outside of a room's folder, and those whose source is in another room."""
    for path in sorted((layout.public / "detail").rglob("*.hpp")):
        name = path.relative_to(layout.public).as_posix()
        room = name.split("/")[1]
        if room not in layout.rooms + COMPONENTS:
            yield f"include/contextual/{name}: there is no room {room}"
        for source in layout.source.rglob(path.stem + ".cpp"):
            if source.relative_to(layout.source).as_posix().split("/")[0] != room:
                yield f"include/contextual/{name} is of room {room}, its source is {source.relative_to(layout.source)}"


def check_umbrella(layout):
    wanted = {path.name for path in layout.public.glob("*.hpp")} - COMPONENT_HEADERS - {"contextual.hpp"}
    present = {include.removeprefix("contextual/") for include in includes_of(layout.public / "contextual.hpp")}
    for header in sorted(wanted - present):
        yield f"contextual/contextual.hpp does not include contextual/{header}"
    for header in sorted(present - wanted):
        yield f"contextual/contextual.hpp includes contextual/{header}, which is none of the host's public headers"


def check(root):
    """Returns one text a problem."""
    layout = Layout(root)
    return [problem for part in (check_direction, check_paths, check_detail_headers, check_umbrella)
            for problem in part(layout)]


def main():
    problems = check(sys.argv[1])
    print("\n".join(problems) if problems else "every file is where it belongs, and includes what is below it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
