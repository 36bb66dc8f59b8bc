"""What the program contextual-report says of the logs of one mpirun."""

import re
import subprocess

# "  2 fault-0: culprit: rank 0: why", in the overview; several regions where ranks were in different ones.
VERDICT = re.compile(r"^ *\d+ ([^:\n]+): culprit: (.*?):", re.MULTILINE)
SECTION = re.compile(r"^== ([^:\n]+): ", re.MULTILINE)


class Report:
    """Runs the program once. `failure` says why it gave nothing; empty when it did."""

    def __init__(self, program, logs):
        command = [str(program), str(logs), "--width", "200"]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        text = done.stdout.decode(errors="replace")
        self.failure = ""
        if done.returncode not in (0, 1):
            self.failure = f"the report ended with {done.returncode}: {done.stderr.decode(errors='replace')[:200]}"
        self.verdicts = {}
        for regions, ranks in VERDICT.findall(text):
            for region in regions.split(" / "):
                self.verdicts.setdefault(region, ranks)
        parts = SECTION.split(text)
        self.sections = {}
        for regions, section in zip(parts[1::2], parts[2::2]):
            for region in regions.split(" / "):
                self.sections[region] = section

    def wrong(self, region, culprit, known, completes):
        """It must name the culprit where it can be known; else, when the run completed, what it rejected."""
        if self.failure:
            return
        if known and self.verdicts.get(region) != f"rank {culprit}":
            yield f"the report should name rank {culprit}, it says: {self.verdicts.get(region)}"
        if completes and f"rank {culprit}:" not in self.sections.get(region, ""):
            yield f"the report should say what was rejected on rank {culprit}"
