"""One mpirun of the fault program, watched from outside."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time


MPIRUN_ENDS_WITHIN_S = 10  # after the last process of a rank


@dataclasses.dataclass
class Rank:
    """What is known of one rank: its records, and how its process ended."""

    number: int
    records: list = dataclasses.field(default_factory=list)
    pid: int = 0
    exit: dict = None

    def ended(self):
        """ "exit 3", "signal 9", or "" while it runs."""
        if self.exit is None:
            return ""
        return f"exit {self.exit['code']}" if self.exit["signal"] is None else f"signal {self.exit['signal']}"

    def find(self, event, **fields):
        for record in self.records:
            if record["event"] == event and all(record.get(name) == value for name, value in fields.items()):
                return record
        return None


@dataclasses.dataclass
class Run:
    """Folders and result of one mpirun."""

    folder: pathlib.Path
    ranks: list
    timed_out: bool = False
    mpirun_stuck: bool = False  # all ranks' processes had ended, mpirun had not
    left_over: list = dataclasses.field(default_factory=list)
    woken_ns: int = 0  # when a stopped rank was continued

    @property
    def logs(self):
        return self.folder / "logs"


def environment():
    """Several mpiruns share the cores, and it may be root who runs them, as in a container."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("CONTEXTUAL_")}
    variables["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
    variables["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    variables["OMPI_MCA_mpi_yield_when_idle"] = "1"
    # MPI leaks, and so does this library on purpose what MPI may still write to.
    variables["ASAN_OPTIONS"] = ":".join(filter(None, [variables.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    return variables


def whole_lines(path):
    """Parsed JSON lines; a last line without its end is left out."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def read_ranks(results, count):
    exits = {}
    for path in results.glob("exit-*.json"):
        for record in whole_lines(path):
            exits[record["pid"]] = record
    ranks = []
    for number in range(count):
        rank = Rank(number, whole_lines(results / f"rank-{number}.txt"))
        start = rank.find("start")
        if start is not None:
            rank.pid = start["pid"]
            rank.exit = exits.get(rank.pid)
        ranks.append(rank)
    return ranks


def processes_with(argument):
    """Ids of processes whose command line contains it; zombies have none."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if argument.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass  # it has just ended
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end_all(results):
    """mpirun, the supervisors and the ranks, a stopped one too."""
    for pid in processes_with(str(results)):
        send(pid, signal.SIGKILL)


def wait_for_none(argument, seconds):
    end = time.monotonic() + seconds
    while True:
        left = processes_with(argument)
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def all_out(results, count, mpirun_pid):
    """True if every rank's process has ended, and its supervisor too, so that only mpirun itself is left."""
    return all(rank.exit is not None for rank in read_ranks(results, count)) and all(
        pid == mpirun_pid for pid in processes_with(str(results))
    )


def end_stop(run, results, count, culprit, wake):
    """Continues or kills the stopped rank as soon as the others are out; says whether it has."""
    ranks = read_ranks(results, count)
    others_out = all(rank.exit is not None for rank in ranks if rank.number != culprit)
    stopped = ranks[culprit]
    if not others_out or stopped.pid == 0 or stopped.find("inject") is None:
        return False
    if stopped.pid in processes_with(str(results)):
        run.woken_ns = time.monotonic_ns()
        send(stopped.pid, signal.SIGCONT if wake else signal.SIGKILL)
    return True


def stop_all(run, results, count, culprit, seconds):
    """Stops the others as soon as one has stopped itself, and continues all together; says whether it has."""
    ranks = read_ranks(results, count)
    if ranks[culprit].find("inject") is None:
        return False
    for rank in ranks:
        send(rank.pid, signal.SIGSTOP)
    time.sleep(seconds)
    run.woken_ns = time.monotonic_ns()
    for rank in ranks:
        send(rank.pid, signal.SIGCONT)
    return True


def start(mpirun, program, arguments, count, folder, timeout_s, intervene=None):
    """Runs `count` ranks, waits for mpirun, and returns what they left. Never leaves a process behind.

    intervene: called with (run, results, count) again and again until it returns True.
    """
    results = folder / "results"
    logs = folder / "logs"
    results.mkdir(parents=True)
    logs.mkdir()
    command = [mpirun, "--enable-recovery", "--oversubscribe", "--bind-to", "none", "-n", str(count), str(program)]
    command += ["--supervise", "--result-directory", str(results), "--log-directory", str(logs)] + list(arguments)
    (folder / "command.txt").write_text(" ".join(command) + "\n")
    run = Run(folder, [])
    end = time.monotonic() + timeout_s
    with open(folder / "output.txt", "wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment(), start_new_session=True
        )
        try:
            while process.poll() is None and time.monotonic() < end:
                if intervene is not None and intervene(run, results, count):
                    intervene = None
                if all(rank.exit is not None for rank in read_ranks(results, count)):
                    end = min(end, time.monotonic() + MPIRUN_ENDS_WITHIN_S)
                time.sleep(0.02)
        except BaseException:  # such as the end of this program
            end_all(results)
            process.wait()
            raise
        # Open MPI 4.1's mpirun may lock itself up in PMIx (server_deregister_client) when a process ends during the
        # fence of MPI_Finalize. No rank is to blame for it, and what every rank left is checked as always.
        run.mpirun_stuck = process.poll() is None and all_out(results, count, process.pid)
        run.timed_out = process.poll() is None and not run.mpirun_stuck
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    run.ranks = read_ranks(results, count)
    run.left_over = wait_for_none(str(results), 0 if run.timed_out else 2)
    for pid in run.left_over:
        send(pid, signal.SIGKILL)
    return run
