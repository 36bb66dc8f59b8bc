"""A copy of the repository with a build of its own, in which the policy's unit tests are run on mutants."""

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

TARGET = "test_policy"
PROGRAM = f"tests/unit/policy/{TARGET}"
LIBRARY = "src/contextual/libcontextual_internal.a"
TESTING_LIBRARY = "src/contextual/testing/libcontextual_testing_internal.a"
OPTIONS = [
    "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -w -D_GLIBCXX_ASSERTIONS", "-DCONTEXTUAL_CHECK_HEADERS=OFF", "-DCONTEXTUAL_ENABLE_MPI=OFF",
    "-DCONTEXTUAL_ENABLE_CUDA=OFF", "-DCONTEXTUAL_BUILD_EXAMPLES=OFF", "-DCONTEXTUAL_BUILD_BENCHMARKS=OFF",
    "-DCONTEXTUAL_BUILD_TOOLS=OFF",
]
LEAST_TIME_LIMIT_S = 20
TIME_LIMIT_FACTOR = 8  # of the unchanged program's time; jobs beside it take cores from it
MEMORY_LIMIT_BYTES = 4 << 30


def run(command, directory, time_limit_s=None):
    """Returns (exit status, output) of a command; the status is None if it ran out of time and was ended."""
    limit = (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES)
    process = subprocess.Popen(command, cwd=directory, text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    try:
        output, _ = process.communicate(timeout=time_limit_s)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output


def checked(command, directory):
    status, output = run(command, directory)
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
    """Thread-safe once it has been made. `directory` is kept, so that the next run only builds what has changed."""

    def __init__(self, root, directory, jobs):
        self.source = directory / "source"
        self.build = directory / "build"
        self.work = directory / "mutants"
        shutil.rmtree(self.work, ignore_errors=True)
        for path in (self.source, self.build, self.work):
            path.mkdir(parents=True, exist_ok=True)
        copy_repository(root, self.source)
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold"] if shutil.which("mold") else []
        checked(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *OPTIONS, *linker], directory)
        self._read_commands()
        checked(["ninja", "-j", str(jobs), *self.objects, *self.testing_objects], self.build)
        checked(["ar", "crs", self.testing_library, *self.testing_objects], self.build)
        self.includers = self._read_includers()
        self.time_limit_s = None
        self.time_limit_s = self._time_unchanged()

    def _rooms(self):
        """The policy and the rooms that it may include: a room includes only those that are added before it."""
        text = (self.source / "src/contextual/CMakeLists.txt").read_text()
        rooms = re.findall(r"^add_subdirectory\((\w+)\)", text, re.MULTILINE)
        return rooms[:rooms.index("policy") + 1]

    def _read_commands(self):
        """Reads how objects are compiled, and how they are linked to the program of the policy's unit tests."""
        self.compile = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.compile[words[words.index("-o") + 1]] = (words, entry["file"])
        folder = "src/contextual/CMakeFiles/contextual_objects.dir/"
        rooms = tuple(folder + room + "/" for room in self._rooms()) + (folder + "error.cpp",)
        commands = checked(["ninja", "-t", "commands", TARGET], self.build).splitlines()
        link = next(part for part in commands[-1].split(" && ") if f"-o {PROGRAM}" in part)
        words = shlex.split(link)
        own = [word for word in words if word.endswith(".o")]
        self.objects = own + [name for name in self.compile if name.startswith(rooms)]
        place = words.index(LIBRARY)
        self.link = words[:place] + self.objects[len(own):] + words[place + 1:]
        # Its target in the build waits for the whole library, of which the policy's tests need a part.
        self.testing_objects = [name for name in self.compile if "/contextual_testing_objects.dir/" in name]
        self.testing_library = self.work / "testing.a"
        self.link[self.link.index(TESTING_LIBRARY)] = str(self.testing_library)

    def _read_includers(self):
        """Source or header, from the repository's root on, to the objects that are made from it."""
        includers = {}
        current = None
        for line in checked(["ninja", "-t", "deps"], self.build).splitlines():
            if not line.startswith(" "):
                current = line.split(":")[0]
            elif line.strip() and current in self.objects:
                path = pathlib.Path(os.path.normpath(self.build / line.strip()))
                if self.source in path.parents:
                    includers.setdefault(path.relative_to(self.source).as_posix(), []).append(current)
        return includers

    def _time_unchanged(self):
        program = self.work / "unchanged"
        self._link(program, {})
        begin = time.monotonic()
        checked([program], self.work)
        return max(LEAST_TIME_LIMIT_S, TIME_LIMIT_FACTOR * (time.monotonic() - begin))

    def _link(self, program, replaced):
        words = [str(replaced.get(word, word)) for word in self.link]
        words[words.index("-o") + 1] = str(program)
        return run(words, self.build)

    def outcome_of(self, mutant):
        """Returns "killed", "survived" or "does not compile", and how it was killed."""
        folder = self.work / f"{mutant.offset}-{abs(hash(mutant))}"
        mutated = folder / mutant.file
        mutated.parent.mkdir(parents=True)
        mutated.write_text(mutant.apply((self.source / mutant.file).read_text()))
        try:
            return self._try(mutant, folder, mutated)
        finally:
            shutil.rmtree(folder)

    def _try(self, mutant, folder, mutated):
        replaced = {}
        for name in self.includers.get(mutant.file, []):
            words, source = self.compile[name]
            made = folder / f"{len(replaced)}.o"
            if pathlib.Path(source) == self.source / mutant.file:
                words = [str(mutated) if word == source else word for word in words]
            first = next(i for i, word in enumerate(words) if word.startswith("-I"))
            words = words[:first] + [f"-I{folder / 'src'}", f"-I{folder / 'include'}"] + words[first:]
            words[words.index("-o") + 1] = str(made)
            if run(words, self.build)[0] != 0:
                return "does not compile", ""
            replaced[name] = made
        program = folder / TARGET
        if self._link(program, replaced)[0] != 0:
            return "does not compile", ""
        return self._test(mutant, program, folder)

    def _test(self, mutant, program, folder):
        """The tests of the file's name first, because they are the likeliest to fail."""
        name = pathlib.Path(mutant.file).stem + "_test"
        selections = [["-#", f"[#{name}]"]] if any(f"/{name}.cpp.o" in word for word in self.objects) else []
        for selection in [*selections, []]:
            status, output = run([program, "--abort", *selection], folder, self.time_limit_s)
            if status is None:
                return "killed", "by the time limit"
            if status != 0:
                return "killed", first_failure(output)
        return "survived", ""


def first_failure(output):
    """Returns the name of the test case that failed first, as Catch2 prints it above its line of dots."""
    found = re.search(r"^-{70,}\n((?:[^\n]+\n)+?)-{70,}$", output, re.MULTILINE)
    return "by " + " ".join(found[1].split()) if found else "without a test's name"
