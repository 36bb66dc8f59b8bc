"""A copy of the repository with a build of its own, in which unit tests are run on mutants."""

import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time

OPTIONS = [
    "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -w -D_GLIBCXX_ASSERTIONS", "-DBUILD_SHARED_LIBS=OFF",
    "-DCONTEXTUAL_CHECK_HEADERS=OFF", "-DCONTEXTUAL_ENABLE_MPI=OFF", "-DCONTEXTUAL_BUILD_EXAMPLES=OFF", "-DCONTEXTUAL_BUILD_BENCHMARKS=OFF",
    "-DCONTEXTUAL_BUILD_TOOLS=OFF", "-DCMAKE_UNITY_BUILD=OFF",  # each source is compiled by itself
]
LEAST_TIME_LIMIT_S = 20
TIME_LIMIT_FACTOR = 4  # of the unchanged program's time, which is measured beside the other rooms' programs
MEMORY_LIMIT_BYTES = 16 << 30  # of addresses: each of the threads of a program takes many that it does not use


def run(command, directory, time_limit_s=None):
    """Returns (exit status, output) of a command; the status is None if it ran out of time and was ended.

    One with a time limit runs tests: what these write to the user's folders and to the temporary one is below `directory`.
    """
    limit = (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES)
    own = os.environ | dict.fromkeys(["HOME", "XDG_CACHE_HOME", "TMPDIR"], str(directory))
    process = subprocess.Popen(command, cwd=directory, text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, env=own if time_limit_s else None,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    try:
        output, _ = process.communicate(timeout=time_limit_s)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output


def checked(command, directory, time_limit_s=None):
    status, output = run(command, directory, time_limit_s)
    if status != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))}\n{output}")
    return output


def copy_repository(root, to):
    """Makes `to` hold what git knows or would add below `root`. Files that are equal keep their times."""
    listed = checked(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root)
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for name in names:
        content = (root / name).read_bytes()
        copy = to / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    for path in [path for path in to.rglob("*") if path.is_file()]:
        if path.relative_to(to).as_posix() not in names:
            path.unlink()


class ScratchBuild:
    """`directory` is kept, so that the next run only builds what has changed."""

    def __init__(self, root, directory):
        self.source = directory / "source"
        self.folder = directory / "build"
        self.work = directory / "mutants"
        shutil.rmtree(self.work, ignore_errors=True)
        for path in (self.source, self.folder, self.work):
            path.mkdir(parents=True, exist_ok=True)
        copy_repository(root, self.source)
        checked(["cmake", "-S", self.source, "-B", self.folder, "-G", "Ninja", *OPTIONS], directory)
        targets = checked(["ninja", "-t", "targets", "all"], self.folder).splitlines()
        self.targets = {line.split(":")[0] for line in targets}

    def build(self, programs, jobs):
        """Builds programs and what they link, and reads how."""
        checked(["ninja", "-j", str(jobs), *programs], self.folder)
        self.compile = {}  # object to (command, source)
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.compile[words[words.index("-o") + 1]] = (words, entry["file"])
        self.includers = {}  # source or header, from the repository's root on, to the objects that are made from it
        for line in checked(["ninja", "-t", "deps"], self.folder).splitlines():
            if not line.startswith(" "):
                current = line.split(":")[0]
            elif line.strip():
                path = pathlib.Path(os.path.normpath(self.folder / line.strip()))
                if self.source in path.parents:
                    self.includers.setdefault(path.relative_to(self.source).as_posix(), []).append(current)


class Program:
    """A program of unit tests that has been built. Thread-safe once it has been made."""

    def __init__(self, scratch, path):
        self._scratch = scratch
        commands = checked(["ninja", "-t", "commands", path], scratch.folder).splitlines()
        self._link_words = shlex.split(next(part for part in commands[-1].split(" && ") if f"-o {path}" in part))
        folder = scratch.work / pathlib.Path(path).name
        folder.mkdir()
        self._read_objects(folder / "unchanged")
        begin = time.monotonic()
        checked([folder / "unchanged"], folder, 3600)
        self._time_limit_s = max(LEAST_TIME_LIMIT_S, TIME_LIMIT_FACTOR * (time.monotonic() - begin))

    def _read_objects(self, program):
        """Links the program as it is. Its objects are those that it lists and those that the linker takes from libraries;
        a mutant of what it leaves there survives."""
        status, output = self._link(program, {}, f"-Wl,-Map={program}.map")
        if status != 0:
            raise RuntimeError(output)
        taken = set(re.findall(r"\.a\(([^()]+\.o)\)", program.with_suffix(".map").read_text()))
        self._objects = {word for word in self._link_words if word.endswith(".o")}
        self._not_taken = set()
        for library in [word for word in self._link_words if word.endswith(".a") and word in self._scratch.targets]:
            parts = checked(["ninja", "-t", "query", library], self._scratch.folder).split()
            for part in [part for part in parts if part.endswith(".o")]:
                (self._objects if pathlib.Path(part).name in taken else self._not_taken).add(part)

    def _link(self, program, replaced, *options):
        """Objects that replace those of a library come before it, and the linker takes the first of what it finds twice."""
        words = [str(replaced.get(word, word)) for word in self._link_words]
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, word in enumerate(words) if word.endswith(".a"))
        words[first:first] = [str(made) for name, made in replaced.items() if name not in self._link_words]
        return run([*words, "-Wl,--allow-multiple-definition", *options], self._scratch.folder)

    def outcome_of(self, mutant):
        """Returns "killed", "survived", "does not compile" or "is not linked", and how it was killed."""
        if not (self._objects | self._not_taken).intersection(self._scratch.includers.get(mutant.file, [])):
            return "is not linked", ""
        folder = self._scratch.work / f"{mutant.offset}-{abs(hash(mutant))}"
        mutated = folder / mutant.file
        mutated.parent.mkdir(parents=True)
        mutated.write_text(mutant.apply((self._scratch.source / mutant.file).read_text()))
        try:
            return self._try(mutant, folder, mutated)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _try(self, mutant, folder, mutated):
        replaced = {}
        for name in self._objects.intersection(self._scratch.includers.get(mutant.file, [])):
            words, source = self._scratch.compile[name]
            made = folder / f"{len(replaced)}.o"
            if pathlib.Path(source) == self._scratch.source / mutant.file:
                words = [str(mutated) if word == source else word for word in words]
            first = next(i for i, word in enumerate(words) if word.startswith("-I"))
            words = words[:first] + [f"-I{folder / root}" for root in ("src", "include", "tools")] + words[first:]
            words[words.index("-o") + 1] = str(made)
            if run(words, self._scratch.folder)[0] != 0:
                return "does not compile", ""
            replaced[name] = made
        program = folder / "program"
        if self._link(program, replaced)[0] != 0:
            return "does not compile", ""
        return self._test(mutant, program, folder)

    def _test(self, mutant, program, folder):
        """The tests of the file's name first, because they are the likeliest to fail."""
        name = pathlib.Path(mutant.file).stem + "_test"
        selections = [["-#", f"[#{name}]"]] if any(f"/{name}.cpp.o" in word for word in self._link_words) else []
        for selection in [*selections, []]:
            status, output = run([program, "--abort", *selection], folder, self._time_limit_s)
            if status is None:
                return "killed", "by the time limit"
            if status != 0:
                return "killed", failure(output)
        return "survived", ""


def failure(output):
    """Returns the name of the test case that failed: the last that Catch2 prints above its line of dots, since it stops
    there. Earlier ones have only warned."""
    found = re.findall(r"^-{70,}\n((?:[^\n]+\n)+?)-{70,}$", output, re.MULTILINE)
    return "by " + " ".join(found[-1].split()) if found else "without a test's name"
