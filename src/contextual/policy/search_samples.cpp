#include "contextual/policy/search_samples.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {

Makespans::Makespans(ByAssignment all) : all_(std::move(all)) {
  for (const auto& [assignment, makespans] : all_) {
    machine_ += machine_share(makespans);
  }
}

const std::vector<double>& Makespans::of(const Assignment& assignment) const {
  static const std::vector<double> none;
  const auto found = all_.find(assignment);
  return found == all_.end() ? none : found->second;
}

Summary Makespans::paid_for(const Assignment& assignment) const {
  return paid(of(assignment), machine_without(assignment));
}

void SearchSamples::clear() {
  usually_launched_.clear();
  barren_batches_ = 0;
  misses_.clear();
  makespans_.clear();
}

/// A region may launch some kernels in some of its runs only. A makespan with other launches than usual is
/// that of other work, unless several runs in a row show that this is usual now.
bool SearchSamples::launched_as_usual(const Assignment& assignment, const IterationOutcome& outcome) {
  constexpr int enough_for_a_change = 3;
  usually_launched_.resize(outcome.cells.size());
  bool usual = true;
  for (std::size_t p = 0; p < outcome.cells.size(); ++p) {
    if (choice_points_.active(p, assignment)) {
      usual = usual && usually_launched_[p].value_or(outcome.cells[p].launched) == outcome.cells[p].launched;
    }
  }
  unusual_runs_ = usual ? 0 : unusual_runs_ + 1;
  if (!usual && unusual_runs_ < enough_for_a_change) {
    return false;
  }
  unusual_runs_ = 0;
  for (std::size_t p = 0; p < outcome.cells.size(); ++p) {
    if (choice_points_.active(p, assignment)) {
      usually_launched_[p] = outcome.cells[p].launched;
    }
  }
  return true;
}

SearchSamples::Reading SearchSamples::read(const SearchRunPlan& planned, const IterationOutcome& outcome,
                                           const std::vector<std::size_t>& members) {
  Reading reading;
  SearchRun& run = reading.run;
  bool launched = true;
  bool timed = outcome.makespan_ns.has_value();
  bool disturbed = false;
  const bool usual = launched_as_usual(planned.assignment, outcome);
  for (const std::size_t p : members) {
    const CellOutcome& cell = outcome.cells[p];
    launched = launched && cell.launched;
    timed = timed && (choice_points_.has(p) || cell.untimed || cell.time_ns.value_or(0) > 0);
    disturbed = disturbed || cell.disturbed;
    run.times_ns.push_back(cell.time_ns);
  }
  const Miss miss = !launched || !usual                   ? Miss::other_launches
                    : disturbed                           ? Miss::disturbed
                    : !timed || *outcome.makespan_ns <= 0 ? Miss::no_time
                                                          : Miss::none;
  if (miss == Miss::none) {
    run.makespan_ns = outcome.makespan_ns;
  }
  note(planned.run, miss);
  int& misses = misses_[planned.assignment];
  misses = miss == Miss::no_time ? misses + 1 : run.makespan_ns ? 0 : misses;
  reading.out_of_time = misses == most_misses;
  return reading;
}

void SearchSamples::note(int run, Miss miss) {
  if (run > 0 && !batch_.planned) {
    batch_ = {};  // its lead-ins say less
    batch_.planned = true;
  }
  if (run > 0 || !batch_.planned) {
    batch_.any = batch_.any || miss == Miss::none;
    batch_.other_launches = batch_.other_launches || miss == Miss::other_launches;
  }
}

/// A lead-in alone that has gone well is no sample yet.
bool SearchSamples::end_batch() {
  constexpr int most_barren_batches = 4;  // one more than a problem may be absent before it is closed
  barren_batches_ = batch_.planned && batch_.any           ? 0
                    : batch_.other_launches && !batch_.any ? barren_batches_ + 1
                                                           : barren_batches_;
  return barren_batches_ >= most_barren_batches;
}

void SearchSamples::forget(std::size_t problem, std::size_t config_id) {
  std::erase_if(makespans_, [&](const auto& sample) {
    return sample.first[problem] == config_id && choice_points_.active(problem, sample.first);
  });
}

Makespans SearchSamples::with(const WalkLog& walk) const {
  Makespans::ByAssignment all = makespans_;
  for (const SearchSample& sample : walk.samples()) {
    for (const SearchRun& run : sample.runs) {
      if (run.makespan_ns) {
        all[sample.assignment].push_back(static_cast<double>(*run.makespan_ns));
      }
    }
  }
  return Makespans(std::move(all));
}

void SearchSamples::note_in(SearchRecord& record, double tie_margin) const {
  const Makespans own(makespans_);
  for (const auto& [assignment, makespans] : makespans_) {
    record.measured.push_back({assignment, own.paid_for(assignment)});
  }
  record.existing = std::max(record.existing, record.measured.size());  // with the closing comparison's
  const Summary choice = own.paid_for(record.choice);
  const Summary by_time = own.paid_for(record.by_own_time);
  if (choice.count == 0) {
    return;
  }
  if (by_time.count > 0) {
    record.cost_of_own_time = by_time.centre_ns / choice.centre_ns - 1;
  }
  for (const MeasuredAssignment& measured : record.measured) {
    if (measured.makespan.count > 1 && measured.assignment != record.choice &&
        is_tie(compare(measured.makespan, choice), tie_margin * choice.centre_ns)) {
      record.within_noise.push_back(measured.assignment);
    }
  }
}

}  // namespace contextual::policy
