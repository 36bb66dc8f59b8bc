#include "contextual/policy/search/joint_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace contextual::policy::search {

namespace {

constexpr double cover_share = 0.25;          ///< of the runs, at most, to run every config once
constexpr double race_share = 0.4;            ///< of the runs, kept for the race
constexpr double refine_share = 0.2;          ///< of the runs, kept for refinements where there are any
constexpr std::int64_t many_runs = 150;       ///< with fewer, another assignment is worth more than a sample
constexpr double stalled_share = 0.2;         ///< of the runs, for what the machine may have stalled
constexpr int patience = 24;                  ///< draws in a row without a gain that end the exploration
constexpr std::int64_t incumbent_every = 30;  ///< runs after which the incumbent is visited again
constexpr int most_start_tries = 3;           ///< where its makespan stays unknown
constexpr std::int64_t least_race = 12;       ///< runs
constexpr std::int64_t share_for_the_rest = 2;  ///< one of so many spare runs, for what nothing speaks for
constexpr std::size_t samples_of_a_tie = 12;    ///< what has fewer was given up, or is not known yet
constexpr int redraws = 5;                      ///< to find an assignment that has not been run yet
constexpr std::size_t orientation = 3;          ///< visits before lead-ins can be judged

}  // namespace

JointSearch::JointSearch(const SearchRequest& request)
    : starts_{request.start},
      max_runs_(request.max_runs),
      has_many_runs_(request.max_runs >= many_runs),
      min_gain_(request.min_gain),
      tie_margin_(request.tie_margin),
      space_(request.problems),
      refinement_(request.problems),
      ledger_([&] {
        TrialLedger ledger(request.feasible);
        for (const SearchSample& sample : request.walked) {
          ledger.add_walked(sample);
        }
        return ledger;
      }()),
      belief_(space_, ledger_, mixed(request.seed)),
      coverage_(space_, ledger_, mixed(request.seed, 1)) {
  starts_.insert(starts_.end(), request.further_starts.begin(), request.further_starts.end());
  for (const Assignment& start : starts_) {
    space_.open(start);
  }
  refine_runs_ =
      refinement_.possible() ? static_cast<std::int64_t>(refine_share * static_cast<double>(max_runs_)) : 0;
  race_runs_ = static_cast<std::int64_t>(race_share * static_cast<double>(max_runs_ - refine_runs_));
  decide();
}

void JointSearch::observe(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  ledger_.add(observation);
  if (observation.infeasible) {
    forget_unusable();
  } else if (!plan_.empty() && plan_.front().assignment == assignment &&
             observation.trial.samples >= plan_.front().samples) {
    plan_.erase(plan_.begin());  // a first run alone leaves the visit to be made
  }
  belief_.update();
  if (plan_.empty()) {
    decide();
  }
}

void JointSearch::reject(std::size_t problem, std::size_t config_id) {
  space_.reject(problem, config_id);
  forget_unusable();
  if (plan_.empty()) {
    decide();
  }
}

void JointSearch::lost(const Assignment& assignment) {
  ledger_.lost(assignment);
  forget_unusable();
  if (plan_.empty()) {
    decide();
  }
}

void JointSearch::forget_unusable() {
  std::erase_if(plan_, [this](const SearchTrial& trial) { return !usable(trial.assignment); });
}

Assignment JointSearch::defaults() const {
  Assignment defaults(space_.problem_count(), 0);
  return defaults;
}

bool JointSearch::usable(const Assignment& assignment) const {
  return space_.candidate(assignment) && !ledger_.infeasible(assignment);
}

std::int64_t JointSearch::visit_runs(const Assignment& assignment, int samples) const {
  return (ledger_.proven(assignment) ? 0 : 1) + 1 + samples;
}

/// Of a visit in a race: they share the cost of its lead-in, and of a second run that may be late.
int JointSearch::race_samples() const {
  return has_many_runs_ ? 3 : 1;
}

/// Of a visit that is to show where an assignment stands.
int JointSearch::first_samples() const {
  return has_many_runs_ && ledger_.second_runs_are_late() ? 2 : 1;
}

/// Plans a visit of at most so many samples if `left` runs are enough for one sample. Returns the runs that
/// it takes, or 0.
std::int64_t JointSearch::visit(const Assignment& assignment, int samples, std::int64_t left) {
  while (samples > 1 && visit_runs(assignment, samples) > left) {
    --samples;
  }
  const std::int64_t runs = visit_runs(assignment, samples);
  if (runs > left) {
    return 0;
  }
  plan_.push_back({assignment, samples});
  return runs;
}

bool JointSearch::affordable(const Assignment& assignment, std::int64_t kept) const {
  return visit_runs(assignment, 1) + kept <= runs_left();
}

/// Plans the next trials: goes through the stages until one has any.
void JointSearch::decide() {
  while (plan_.empty() && stage_ != Stage::over) {
    switch (stage_) {
      case Stage::start:
        begin();
        break;
      case Stage::cover:
        cover();
        break;
      case Stage::explore:
        explore();
        break;
      case Stage::refine:
        refine();
        break;
      default:
        race();
        break;
    }
  }
}

void JointSearch::begin() {
  for (; next_start_ < starts_.size(); ++next_start_, start_tries_ = 0) {
    if (next_start_ == 1 && start_tries_ == 0) {
      further_runs_ = -ledger_.runs();  // what has been run so far is not theirs
    }
    const Assignment& start = starts_[next_start_];
    const std::int64_t kept = next_start_ == 0 ? 0 : race_runs_;
    if (usable(start) && affordable(start, kept) && ledger_.visits(start) == 0 &&
        start_tries_++ < most_start_tries) {
      visit(start, race_samples(), runs_left() - kept);
      return;
    }
  }
  stage_ = Stage::cover;
  further_runs_ += starts_.size() > 1 ? ledger_.runs() : 0;
}

void JointSearch::cover() {
  const auto most = static_cast<std::int64_t>(cover_share * static_cast<double>(max_runs_));
  const std::optional<Assignment> next =
      ledger_.runs() - further_runs_ < most ? coverage_.next() : std::nullopt;
  if (!next) {
    stage_ = Stage::explore;
    return;
  }
  try_out(*next);
}

void JointSearch::explore() {
  const std::optional<Assignment> incumbent = shortest_visited();
  const std::int64_t kept = race_runs_;
  if (incumbent && affordable(*incumbent, kept) && ledger_.runs() - incumbent_visited_ > incumbent_every) {
    incumbent_visited_ = ledger_.runs();
    visit(*incumbent, race_samples(), runs_left() - kept);
    return;
  }
  std::optional<Assignment> next = next_to_explore(incumbent);
  if (!next || ledger_.proven(*next) || calm_ >= patience) {
    // Nothing new promises a gain. What is left of a small space is tried all the same, because two configs
    // may only help together.
    const std::int64_t spare = std::max<std::int64_t>(0, runs_left() - kept);
    std::optional<Assignment> untried =
        coverage_.any_untried(static_cast<std::size_t>(spare / share_for_the_rest));
    if (untried || calm_ >= patience) {
      next = std::move(untried);
    }
    if (!next && incumbent) {
      next = belief_.doubtful(*incumbent, min_gain_);
    }
  }
  if (!next || !affordable(*next, incumbent ? kept : 0)) {
    stage_ = Stage::race;
    return;
  }
  try_out(*next);
}

/// Samples cost further runs. They are taken where the first run of the assignment would say too little.
void JointSearch::try_out(const Assignment& assignment) {
  const bool oriented = ledger_.visited().size() >= orientation;
  const bool sampled = !oriented || ledger_.proven(assignment) || belief_.worth_a_sample();
  if (!sampled || visit(assignment, first_samples(), runs_left()) == 0) {
    plan_.push_back({assignment, 0});
  }
}

/// The shortest of a possible truth, preferably one that has not been run yet.
std::optional<Assignment> JointSearch::next_to_explore(const std::optional<Assignment>& incumbent) {
  std::optional<Belief::Shortest> next = belief_.draw_shortest(incumbent);
  if (incumbent && next) {
    calm_ = next->gain > min_gain_ ? 0 : calm_ + 1;
  }
  for (int i = 0; i < redraws && next && ledger_.proven(next->assignment); ++i) {
    next = belief_.draw_shortest(incumbent);
  }
  for (int i = 0; i < redraws && next && ledger_.visits(next->assignment) > 1; ++i) {
    next = belief_.draw_shortest(incumbent);
  }
  return next ? std::optional(std::move(next->assignment)) : std::nullopt;
}

void JointSearch::race() {
  const std::optional<Assignment> incumbent = shortest_visited();
  if (!incumbent) {
    finish();
    return;
  }
  const bool begins = !std::exchange(racing_, true);
  // Where some assignments take two values, a few samples of the shorter one may be luck.
  const std::size_t enough_samples = has_many_runs_ && ledger_.has_erratic() ? 15 : 2;
  const std::optional<Assignment> unsure = unsure_tie(*incumbent);
  const bool unclear = has_many_runs_ && ledger_.unclear(*incumbent);
  const std::optional<Assignment> stalled = this->stalled(*incumbent);
  if (!begins && !unsure && !unclear && !stalled && ledger_.sample_count(*incumbent) >= enough_samples &&
      race_is_decided(belief_, min_gain_)) {
    end_race();
    return;
  }
  std::int64_t left = runs_left();
  if (stalled) {
    stalled_runs_ += visit(*stalled, race_samples(), left);
    left = plan_.empty() ? left : 0;
  }
  if (unsure) {
    left -= visit(*unsure, race_samples(), left);
  }
  if (unclear) {
    left -= visit(*incumbent, race_samples(), left);
  }
  for (const Assignment& assignment : race_round(belief_)) {
    if (usable(assignment)) {
      left -= visit(assignment, race_samples(), left);
    }
  }
  if (plan_.empty()) {
    finish();
  }
}

/// With runs left over, the exploration goes on, and another race follows.
void JointSearch::end_race() {
  if (refine_runs_ == 0 && refinement_.possible()) {
    finish();
    return;
  }
  const std::int64_t left = runs_left();
  const bool again = calm_ < patience && left >= 2 * least_race;
  keep_for_race();
  racing_ = false;
  if (again) {
    stage_ = Stage::explore;
  } else {
    finish();
  }
}

void JointSearch::keep_for_race() {
  race_runs_ = std::max(least_race, static_cast<std::int64_t>(race_share * static_cast<double>(runs_left())));
}

/// After a race. What follows has the runs that were kept.
void JointSearch::finish() {
  racing_ = false;
  refine_runs_ = 0;
  stage_ = Stage::refine;
}

/// Tries what lies halfway between the best and its neighbours, and so on from what seems best then. The new
/// configs are then explored beside all others, and another race decides.
void JointSearch::refine() {
  if (const std::optional<Assignment> best = shortest_tried(); best && try_beside(*best)) {
    refining_ = true;
    return;
  }
  // Where nothing could be refined, the runs that were kept are there now.
  const bool runs_since = std::exchange(refined_at_, ledger_.runs()) < ledger_.runs();
  const bool rest = refinement_.possible() && runs_since && calm_ < patience && runs_left() >= 2 * least_race;
  const bool refined = std::exchange(refining_, false);
  stage_ = refined || rest ? Stage::explore : Stage::over;
  calm_ = refined ? 0 : calm_;
  keep_for_race();
}

/// Opens the refinements beside an assignment, for trials now or in the exploration that follows: at most
/// twice as many of two problems at a time as of one. Returns false if there is none.
bool JointSearch::try_beside(const Assignment& best) {
  std::vector<Assignment> beside = refinement_.beside(best, space_);
  const auto of_two = std::find_if(beside.begin(), beside.end(), [&](const Assignment& assignment) {
    return space_.matches(assignment, best) + 1 < space_.problem_count();
  });
  const auto of_one_count = static_cast<std::size_t>(of_two - beside.begin());
  beside.resize(std::min(beside.size(), 3 * of_one_count));
  std::int64_t left = runs_left() - least_race;
  for (const Assignment& assignment : beside) {
    space_.open(assignment);
    if (usable(assignment) && visit_runs(assignment, first_samples()) <= left) {
      try_out(assignment);
      left -= plan_.back().samples > 0 ? visit_runs(assignment, plan_.back().samples) : 1;
    }
  }
  return !beside.empty();
}

std::string JointSearch::reason() const {
  const std::optional<Assignment> choice = best();
  if (!choice) {
    return "no feasible assignment was found";
  }
  if (*choice == defaults()) {
    return "nothing is expected to be shorter than the defaults";
  }
  const bool elsewhere = std::find(starts_.begin() + 1, starts_.end(), *choice) != starts_.end();
  return std::string("it is expected to have the shortest makespan") +
         (elsewhere ? ", and was chosen elsewhere, too" : "");
}

std::optional<Assignment> JointSearch::shortest_visited() const {
  std::optional<Assignment> shortest;
  double least = 0;
  for (const auto& [assignment, visits] : ledger_.visited()) {
    if (usable(assignment)) {
      const double value = belief_.expected(assignment);
      if (!shortest || value < least) {
        shortest = assignment;
        least = value;
      }
    }
  }
  return shortest;
}

std::optional<Assignment> JointSearch::shortest_tried() const {
  std::vector<Assignment> tried = belief_.tried();
  const auto expected = [this](const Assignment& a, const Assignment& b) {
    return belief_.expected(a) < belief_.expected(b);
  };
  const auto shortest = std::min_element(tried.begin(), tried.end(), expected);
  return shortest != tried.end() ? std::optional(std::move(*shortest)) : std::nullopt;
}

/// Of what ties with the shortest: what is steady, then what changes least of the defaults, then what has the
/// lower ids. Two makespans tie within the tie margin, and within what their samples leave uncertain, unless
/// what may seem as short is erratic.
std::optional<Assignment> JointSearch::best() const {
  const std::optional<Assignment> shortest = shortest_visited();
  std::optional<Assignment> best = shortest;
  for (const auto& [assignment, visits] : ledger_.visited()) {
    if (usable(assignment) && ties(assignment, *shortest) && precedes(assignment, *best)) {
      best = assignment;
    }
  }
  return best;
}

bool JointSearch::ties(const Assignment& assignment, const Assignment& shortest) const {
  const bool comparable = ledger_.sample_count(assignment) >= samples_of_a_tie &&
                          ledger_.sample_count(shortest) >= samples_of_a_tie;
  return longer_by(assignment, shortest) <=
         std::max(tie_margin_, comparable ? uncertainty(assignment, shortest) : 0);
}

double JointSearch::longer_by(const Assignment& assignment, const Assignment& shortest) const {
  return belief_.expected(assignment) - belief_.expected(shortest);
}

/// By how much the assignment may seem longer, and tie all the same: some standard errors of the difference,
/// if there are runs for samples that make them small. What is erratic is not chosen for what its
/// samples leave open, and the closing comparison, not this, brings the defaults back.
double JointSearch::uncertainty(const Assignment& assignment, const Assignment& shortest) const {
  constexpr double deviations = 2.5;
  constexpr double most = 0.03;
  if (!has_many_runs_ || ledger_.erratic(assignment) || assignment == defaults()) {
    return 0;
  }
  const double error = ledger_.error(assignment);
  const double of_shortest = ledger_.error(shortest);
  return std::min(most, deviations * std::sqrt(error * error + of_shortest * of_shortest));
}

/// What would be preferred to the incumbent, and may tie with it after more samples: without these, luck
/// would decide between near ties.
std::optional<Assignment> JointSearch::unsure_tie(const Assignment& incumbent) const {
  std::optional<Assignment> unsure;
  for (const auto& [assignment, visits] : ledger_.visited()) {
    if (usable(assignment) && ledger_.sample_count(assignment) < samples_of_a_tie &&
        precedes(assignment, unsure.value_or(incumbent)) &&
        longer_by(assignment, incumbent) <= uncertainty(assignment, incumbent)) {
      unsure = assignment;
    }
  }
  return unsure;
}

/// Of what the machine may have stalled, as long as there are runs for that, what has the fewest samples: of
/// these, expectations say least.
std::optional<Assignment> JointSearch::stalled(const Assignment& incumbent) const {
  if (stalled_runs_ > static_cast<std::int64_t>(stalled_share * static_cast<double>(max_runs_))) {
    return std::nullopt;
  }
  const double expected = belief_.expected(incumbent);
  std::optional<Assignment> stalled;
  for (const Assignment& assignment : ledger_.proven()) {
    if (usable(assignment) && ledger_.may_be_stalled(assignment, expected) &&
        (!stalled || ledger_.sample_count(assignment) < ledger_.sample_count(*stalled))) {
      stalled = assignment;
    }
  }
  return stalled;
}

bool JointSearch::precedes(const Assignment& a, const Assignment& b) const {
  const auto rank = [this](const Assignment& assignment) {
    return std::pair(ledger_.erratic(assignment), assignment.size() - space_.matches(assignment, defaults()));
  };
  return std::pair(rank(a), a) < std::pair(rank(b), b);
}

std::size_t JointSearch::remaining_runs() const {
  const std::int64_t left = max_runs_ - ledger_.runs();
  return stage_ == Stage::over ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(1, left));
}

}  // namespace contextual::policy::search
