#include "contextual/policy/search/belief.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy::search {

namespace {

constexpr std::size_t enumerated = 1024;   ///< spaces up to this size are looked through as a whole
constexpr std::size_t first_fit = 8;       ///< measurements
constexpr double usual_failure = 0.15;     ///< expected share of infeasible assignments
constexpr double outlier_variance = 0.09;  ///< of a lead-in that is far too long
constexpr double outlier_distance = 3;     ///< in deviations
constexpr double worthwhile_change = 0.2;  ///< of the lead-ins' deviation, relative

/// Of 1 for infeasible and 0 for feasible assignments.
Variances failure_variances() {
  Variances variances;
  variances.common = 0.02;
  variances.config = 0.3;
  variances.parameter = 0.15;
  variances.pair = 0.05;
  variances.assignment = 0.05;
  variances.drift = 0;
  variances.own_drift = 0;
  variances.sample = 0.01;
  return variances;
}

}  // namespace

void Belief::Fitted::update(std::vector<Measurement> measurements, const Variances& variances,
                            std::optional<double> mean) {
  const std::size_t kept = table.replace(std::move(measurements));
  model.update(variances, mean.value_or(table.median_value()), kept);
}

Belief::Belief(const SearchSpace& space, const TrialLedger& ledger, std::uint64_t seed)
    : space_(&space), ledger_(&ledger), random_(seed), fit_at_(first_fit), makespans_(space, variances_) {
  update();
}

void Belief::update() {
  update_makespans();
  update_failures();
}

void Belief::update_makespans() {
  update_lateness();
  std::vector<Measurement> measurements = believed_makespans();
  if (measurements.size() >= fit_at_) {
    variances_ = fit_variances(MeasurementTable(*space_, measurements), variances_);
    fit_at_ = measurements.size() * 7 / 5 + 2;
  }
  makespans_.update(std::move(measurements), variances_, std::nullopt);
  if (doubt_outliers()) {
    makespans_.update(believed_makespans(), variances_, std::nullopt);
  }
}

/// A small change of the deviation is not worth that the whole model is made anew.
void Belief::update_lateness() {
  const Lateness now = ledger_->lateness();
  const double ratio = now.deviation / lateness_.deviation;
  const bool changed = ratio < 1 - worthwhile_change || ratio > 1 + worthwhile_change;
  lateness_ = {now.mean, changed ? now.deviation : lateness_.deviation};
}

/// Lead-ins that were far too long say little.
std::vector<Measurement> Belief::believed_makespans() const {
  std::vector<Measurement> measurements = ledger_->makespans(lateness_);
  for (std::size_t i = 0; i < outliers_.size(); ++i) {
    if (outliers_[i]) {
      measurements[i].extra_variance = std::max(measurements[i].extra_variance, outlier_variance);
    }
  }
  return measurements;
}

/// Judges all lead-ins anew by what is believed now. Returns true if something has changed.
bool Belief::doubt_outliers() {
  std::vector<bool> outliers;
  for (std::size_t i = 0; i < makespans_.table.size(); ++i) {
    const Measurement& measurement = makespans_.table[i];
    outliers.push_back(measurement.samples == 0 && measurement.value - expected(measurement.assignment) >
                                                       outlier_distance * lateness_.deviation);
  }
  outliers_.resize(outliers.size());
  return outliers != std::exchange(outliers_, outliers);
}

std::optional<Assignment> Belief::doubtful(const Assignment& incumbent, double min_gain) const {
  constexpr double deviations = 2;
  const double least_gain = expected(incumbent) - min_gain;
  std::optional<Assignment> doubtful;
  double least = 0;
  for (std::size_t i = 0; i < makespans_.table.size(); ++i) {
    const Assignment& assignment = makespans_.table[i].assignment;
    if (ledger_->visits(assignment) > 0 || !space_->candidate(assignment) ||
        ledger_->infeasible(assignment)) {
      continue;
    }
    const double value = expected(assignment);
    if (value - deviations * lateness_.deviation < least_gain && (!doubtful || value < least)) {
      doubtful = assignment;
      least = value;
    }
  }
  return doubtful;
}

/// By the information about the assignment's makespan, per run.
bool Belief::worth_a_sample() const {
  constexpr double runs_of_a_visit = 3;  // with the first one
  const double unknown = variances_.config + variances_.parameter + variances_.pair + variances_.assignment;
  const double of_first_run =
      natural_logarithm(1 + unknown / (variances_.sample + lateness_.deviation * lateness_.deviation));
  return natural_logarithm(1 + unknown / variances_.sample) > runs_of_a_visit * of_first_run;
}

void Belief::update_failures() {
  if (ledger_->infeasible().empty()) {
    return;
  }
  if (!failures_) {
    failures_.emplace(*space_, failure_variances());
  }
  failures_->update(ledger_->failures(), failure_variances(), usual_failure);
}

bool Belief::allowed(const Assignment& assignment, const ValueOf* failure) const {
  return !ledger_->infeasible(assignment) &&
         (ledger_->proven(assignment) || failure == nullptr || (*failure)(assignment) < 0.5);
}

std::optional<Belief::Shortest> Belief::draw_shortest(const std::optional<Assignment>& incumbent) {
  if (space_->size(1) == 0) {
    return std::nullopt;
  }
  const ValueOf makespan = makespans_.model.draw(random_.next());
  std::optional<ValueOf> failure;
  if (failures_) {
    failure = failures_->model.draw(random_.next());
  }
  const ValueOf* const drawn_failure = failure ? &*failure : nullptr;
  std::optional<Assignment> shortest;
  if (space_->size(enumerated + 1) > enumerated) {
    shortest = shortest_nearby(makespan, drawn_failure, incumbent);
  } else {
    shortest = shortest_of_all(makespan, drawn_failure);
    shortest = shortest ? shortest : shortest_of_all(makespan, nullptr);
  }
  if (!shortest) {
    return std::nullopt;
  }
  return Shortest{*shortest, incumbent ? makespan(*incumbent) - makespan(*shortest) : 0};
}

std::optional<Assignment> Belief::shortest_of_all(const ValueOf& makespan, const ValueOf* failure) const {
  std::optional<Assignment> best;
  double best_value = 0;
  const std::optional<Assignment> first = space_->first();
  if (!first) {
    return std::nullopt;
  }
  Assignment place = *first;
  for (bool more = true; more; more = space_->advance(place, 1)) {
    // All configs of the first problem beside one assignment of the others.
    const ValueOf::Place row(makespan, place);
    for (place[0] = 0; place[0] < space_->config_count(0); ++place[0]) {
      if (space_->candidate(0, place[0]) && allowed(place, failure)) {
        const double value = row.value_with(0, place[0]);
        if (!best || value < best_value) {
          best_value = value;
          best = place;
        }
      }
    }
    place[0] = first->front();
  }
  return best;
}

/// Descends from the incumbent, or from the shortest of what was measured, and from a random place.
std::optional<Assignment> Belief::shortest_nearby(const ValueOf& makespan, const ValueOf* failure,
                                                  const std::optional<Assignment>& incumbent) {
  std::vector<Assignment> starts;
  std::optional<Assignment> measured = incumbent;
  double measured_value = incumbent ? makespan(*incumbent) : 0;
  for (const Assignment& assignment : ledger_->proven()) {
    if (space_->candidate(assignment)) {
      const double value = makespan(assignment);
      if (!measured || value < measured_value) {
        measured = assignment;
        measured_value = value;
      }
    }
  }
  if (measured && space_->candidate(*measured)) {
    starts.push_back(*measured);
  }
  starts.push_back(random_assignment());
  std::optional<Assignment> best;
  double best_value = 0;
  for (const Assignment& start : starts) {
    ValueOf::Place place(makespan, start);
    descend(failure, place);
    if (allowed(place.assignment(), failure) && (!best || place.value() < best_value)) {
      best_value = place.value();
      best = place.assignment();
    }
  }
  for (int tries = 0; !best && tries < 100; ++tries) {
    const Assignment place = random_assignment();
    if (!ledger_->infeasible(place)) {
      best = place;
    }
  }
  return best;
}

/// Changes one problem at a time, to its best config, until nothing improves.
void Belief::descend(const ValueOf* failure, ValueOf::Place& place) const {
  bool feasible = allowed(place.assignment(), failure);
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t p = 0; p < space_->problem_count(); ++p) {
      Assignment next = place.assignment();
      std::optional<std::size_t> better;
      double better_value = place.value();
      for (std::size_t config = 0; config < space_->config_count(p); ++config) {
        if (!space_->candidate(p, config) || config == place.assignment()[p]) {
          continue;
        }
        const double value = place.value_with(p, config);
        next[p] = config;
        const bool first_feasible = !feasible && !better;
        if ((value < better_value || first_feasible) && allowed(next, failure)) {
          better = config;
          better_value = value;
        }
      }
      if (better) {
        place.move(p, *better);
        feasible = true;
        improved = true;
      }
    }
  }
}

Assignment Belief::random_assignment() {
  Assignment assignment;
  for (std::size_t p = 0; p < space_->problem_count(); ++p) {
    std::vector<std::size_t> candidates;
    for (std::size_t config = 0; config < space_->config_count(p); ++config) {
      if (space_->candidate(p, config)) {
        candidates.push_back(config);
      }
    }
    assignment.push_back(candidates[random_.below(candidates.size())]);
  }
  return assignment;
}

std::vector<Assignment> Belief::tried() const {
  std::vector<Assignment> tried;
  for (const Assignment& assignment : ledger_->proven()) {
    if (space_->candidate(assignment) && !ledger_->infeasible(assignment)) {
      tried.push_back(assignment);
    }
  }
  return tried;
}

std::vector<double> Belief::draw_values(const std::vector<Assignment>& assignments) {
  const ValueOf draw = makespans_.model.draw(random_.next());
  std::vector<double> values;
  values.reserve(assignments.size());
  for (const Assignment& assignment : assignments) {
    values.push_back(draw(assignment));
  }
  return values;
}

}  // namespace contextual::policy::search
