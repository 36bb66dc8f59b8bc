#include "report/judging/absence.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

bool contains(const std::vector<Range>& ranges, std::int64_t rank) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return rank >= range.first && rank <= range.last; });
}

/// Where the tuning group and the program count their ranks alike, a rank's file is known by its number.
bool files_are_known(const RunOfAllRanks& run, const Logs& logs) {
  return std::all_of(run.ranks.begin(), run.ranks.end(),
                     [&](const RankRun* rank) { return logs.files[rank->file].process == rank->rank; });
}

std::string why_nothing(const LogFile& file) {
  const std::string why = !file.problem.empty()    ? "cannot be read: " + file.problem
                          : file.damaged_count > 0 ? "has no run of this tuning, and damaged lines"
                                                   : "has no run of this tuning: it never got there";
  return file.name + " " + why;
}

/// The parts of `ranges` whose ranks have no file. Their cost is that of the files, however many ranks there
/// are.
std::vector<Range> without_file(const std::vector<Range>& ranges, const Logs& logs) {
  std::vector<Range> left;
  for (const Range& range : ranges) {
    std::int64_t next = range.first;
    for (const LogFile& file : logs.files) {  // sorted by number
      if (file.process >= next && file.process <= range.last) {
        if (file.process > next) {
          left.push_back({next, file.process - 1});
        }
        next = file.process + 1;
      }
    }
    if (next <= range.last) {
      left.push_back({next, range.last});
    }
  }
  return left;
}

}  // namespace

bool Absence::holds(std::int64_t rank) const {
  return contains(ranks, rank);
}

std::string Absence::text() const {
  return ranks_text(ranks) + ": " + why;
}

std::vector<Absence> absences_of(const RunOfAllRanks& run, const Logs& logs) {
  std::vector<Absence> absences;
  if (run.absent.empty()) {
    return absences;
  }
  if (!files_are_known(run, logs)) {
    absences.push_back({run.absent, "no log has a run of this tuning"});
    return absences;
  }
  for (const LogFile& file : logs.files) {
    if (contains(run.absent, file.process)) {
      absences.push_back({{{file.process, file.process}}, why_nothing(file)});
    }
  }
  if (std::vector<Range> left = without_file(run.absent, logs); !left.empty()) {
    absences.push_back({std::move(left), "no log file in this directory"});
  }
  return absences;
}

}  // namespace contextual::log_report
