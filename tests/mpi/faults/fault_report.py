"""What the program contextual-report says of the logs of one mpirun."""

import re
import subprocess

# "== fault-0: tuning 0123 ===": the newest run of a region; of several, where ranks were in different ones.
SECTION = re.compile(r"^== ([^:\n]+): ", re.MULTILINE)
UNREADABLE = re.compile(r"^damaged lines|: cannot be read: ", re.MULTILINE)
VERDICT = re.compile(r"^culprit: (.*?):", re.MULTILINE)


class Report:
    """Runs the program once. `failure` says why it gave nothing; empty when it did. `damaged`: it could not read lines."""

    def __init__(self, program, logs):
        command = [str(program), str(logs), "--width", "200"]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        text = done.stdout.decode(errors="replace")
        self.failure = ""
        if done.returncode not in (0, 1):
            self.failure = f"the report ended with {done.returncode}: {done.stderr.decode(errors='replace')[:200]}"
        self.damaged = UNREADABLE.search(text) is not None
        parts = SECTION.split(text)
        self.sections = {}
        for regions, section in zip(parts[1::2], parts[2::2]):
            for region in regions.split(" / "):
                self.sections[region] = section

    def wrong(self, region, culprit, known, completes):
        """It must name the culprit where it can be known; else, when the run completed, what it rejected."""
        if self.failure:
            return
        section = self.sections.get(region, "")
        verdict = VERDICT.search(section)
        if known and (verdict is None or verdict.group(1) != f"rank {culprit}"):
            yield f"the report should name rank {culprit}, it says: {verdict and verdict.group(1)}"
        if completes and f"rank {culprit}:" not in section:
            yield f"the report should say what was rejected on rank {culprit}"
