#include "contextual/tuning/continuation.hpp"

#include "contextual/agreement/joining.hpp"
#include "contextual/agreement/plan_digest.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/flight_text.hpp"

#include <algorithm>
#include <utility>

namespace contextual::tuning {

using journal::BatchRecord;

namespace {

/// Describes the problems of the set from the one with index `before` on.
journal::Joined joined_problems(const agreement::ProblemSet& set, std::size_t before) {
  const std::vector<detail::ProblemSlot*>& all = set.slots();
  const std::vector<detail::ProblemSlot*> joined(all.begin() + static_cast<std::ptrdiff_t>(before),
                                                 all.end());
  journal::Joined described{joined.size(), agreement::problems_digest(joined), {}};
  for (const detail::ProblemSlot* slot : joined) {
    described.names.append(described.names.empty() ? "" : "; ")
        .append(slot->problem.name)
        .append(" ")
        .append(slot->problem.key_text);
  }
  return described;
}

}  // namespace

void Continuation::begin(Resumption resumption, std::unique_ptr<RunJournal> journal,
                         std::unique_ptr<journal::FlightRecorder> flight) {
  resumption_ = std::move(resumption);
  journal_ = std::move(journal);
  flight_ = std::move(flight);
}

/// What could not be prepared in the next batch has been taken in already.
void Continuation::leave_planned(const std::string& why) {
  for (const auto& found : next()->unprepared) {
    note_unprepared(found);
  }
  leave(why);
}

void Continuation::leave(const std::string& why) {
  resumption_.leave(why);
  if (journal_) {
    journal_->keep(resumption_.batch_count());
  }
}

bool Continuation::fits_rejections() {
  const policy::TuningState& state = problems_.state();
  for (const auto& found : next()->unprepared) {
    for (const policy::RejectionOutcome& rejection : found) {
      if (rejection.problem >= state.problem_count() ||
          rejection.config_id >= state.problem(rejection.problem).configs.size()) {
        leave("its configs are others");
        return false;
      }
    }
  }
  return true;
}

bool Continuation::fits(const std::vector<policy::IterationPlan>& plan, std::size_t joined_before) {
  const BatchRecord& record = *next();
  const journal::Joined joined = joined_problems(problems_, joined_before);
  const auto& iterations = record.outcome.iterations;
  const bool complete = std::all_of(iterations.begin(), iterations.end(), [this](const auto& iteration) {
    return iteration.cells.size() == problems_.state().problem_count();
  });
  if (joined.count != record.joined.count || joined.digest != record.joined.digest) {
    leave_planned(joined.names == record.joined.names
                      ? "kernels look different, or other choices are locked in: " + joined.names
                      : "the region launches other kernels or keys: " + joined.names +
                            "; before: " + record.joined.names);
  } else if (agreement::plan_digest(plan) != record.plan_digest || !complete) {
    leave_planned("the tuning takes another course");
  } else {
    return true;
  }
  return false;
}

bool Continuation::agrees(const policy::BatchOutcome& now) {
  const policy::BatchOutcome& then = next()->outcome;
  const bool rejected_then =
      std::all_of(now.rejections.begin(), now.rejections.end(), [&](const auto& rejection) {
        return std::any_of(then.rejections.begin(), then.rejections.end(), [&](const auto& old) {
          return old.problem == rejection.problem && old.config_id == rejection.config_id;
        });
      });
  bool infeasible_then = true;
  for (std::size_t i = 0; i < now.iterations.size(); ++i) {
    const bool failed_then = i < then.iterations.size() && !then.iterations[i].infeasible.empty();
    infeasible_then = infeasible_then && (now.iterations[i].infeasible.empty() || failed_then);
  }
  if (!rejected_then || !infeasible_then) {
    leave_planned("what was run again has failed now");
  }
  return rejected_then && infeasible_then;
}

void Continuation::advance() {
  resumption_.advance();
  ++batch_count_;
}

std::vector<std::string> Continuation::take_notes() {
  std::vector<std::string> notes;
  if (next() == nullptr && !std::exchange(told_, true)) {
    if (resumption_.batch_count() > 0) {
      notes.push_back("this run goes on with " + std::to_string(resumption_.iterations()) +
                      " tuning iterations that an earlier process has measured");
    }
    if (!resumption_.left().empty()) {
      notes.push_back("what an earlier process has measured is not used" +
                      std::string(resumption_.batch_count() > 0 ? " further: " : ": ") + resumption_.left());
    }
  }
  if (journal_ && !journal_->problem().empty() && !std::exchange(told_problem_, true)) {
    notes.push_back(storage::unwritten_warning(journal_->cache_directory(), "this run cannot be resumed",
                                               journal_->problem()));
  }
  std::erase(notes, std::string());
  return notes;
}

std::size_t Continuation::length_alone(const std::vector<policy::IterationPlan>& plan) const {
  if (resumption_.strikes().empty() || plan.empty()) {
    return plan.size();
  }
  const std::string first = flight_text(problems_, plan.front());
  const bool alone = resumption_.strikes().suspect(first);
  const auto end = std::find_if(plan.begin(), plan.end(), [&](const policy::IterationPlan& planned) {
    const std::string text = flight_text(problems_, planned);
    return text != first && (alone || resumption_.strikes().suspect(text));
  });
  return static_cast<std::size_t>(end - plan.begin());
}

std::optional<std::string> Continuation::quarantine_of(const policy::IterationPlan& planned) const {
  if (resumption_.strikes().empty() || !resumption_.strikes().quarantined(flight_text(problems_, planned))) {
    return std::nullopt;
  }
  return "in quarantine: it has twice ended a process or broken a rank while it ran; option "
         "`try_quarantined` lets "
         "it run again";
}

std::optional<std::string> Continuation::quarantine_of(const detail::Problem& problem,
                                                       std::size_t config_id) const {
  const journal::Strikes& strikes = resumption_.strikes();
  if (strikes.empty() || !strikes.quarantined(preparing_text(problem, config_id))) {
    return std::nullopt;
  }
  return "in quarantine: it has twice ended a process while it was made ready; option `try_quarantined` lets "
         "that be done again";
}

void Continuation::begin_preparing(const detail::Problem& problem, std::size_t config_id) {
  if (config_id == 0 || (!flight_ && resumption_.strikes().empty())) {
    return;
  }
  made_ready_.push_back(preparing_text(problem, config_id));
  if (flight_) {
    flight_->take_off(batch_count_ + 1, {made_ready_.back()});
  }
}

void Continuation::end_preparing() {
  if (flight_) {
    flight_->landed();
  }
}

void Continuation::note_unprepared(const std::vector<policy::RejectionOutcome>& rejections) {
  if (journal_) {
    unprepared_.push_back(rejections);
  }
}

namespace {

/// Up to the first iteration by which all that joined has been launched. The first batch is run again in any
/// case, because the ranks find out in it whether they launch alike.
std::size_t repeat_length_of(const policy::BatchOutcome& outcome, std::size_t joined_before,
                             std::size_t problem_count, bool first_batch) {
  std::size_t length = first_batch ? 1 : 0;
  for (std::size_t p = joined_before; p < problem_count; ++p) {
    const auto first = std::find_if(outcome.iterations.begin(), outcome.iterations.end(),
                                    [p](const auto& iteration) { return iteration.cells[p].launched; });
    const auto at = static_cast<std::size_t>(first - outcome.iterations.begin());
    length = std::max(length, std::min(at + 1, outcome.iterations.size()));
  }
  return length;
}

}  // namespace

void Continuation::write(const std::vector<policy::IterationPlan>& plan, const policy::BatchOutcome& outcome,
                         std::size_t joined_before) {
  ++batch_count_;
  if (!journal_) {
    return;
  }
  BatchRecord record;
  record.batch = batch_count_;
  record.unprepared = std::exchange(unprepared_, {});
  record.plan_digest = agreement::plan_digest(plan);
  record.length = plan.size();
  record.joined = joined_problems(problems_, joined_before);
  record.repeat_length =
      repeat_length_of(outcome, joined_before, problems_.slots().size(), batch_count_ == 1);
  record.outcome = outcome;
  record.comparing = problems_.state().comparing();
  journal_->write(record);
}

void Continuation::take_off(const std::vector<policy::IterationPlan>& plan) {
  alone_.clear();
  if (!flight_ && resumption_.strikes().empty()) {
    return;
  }
  texts_.clear();
  for (const policy::IterationPlan& planned : plan) {
    const bool nothing_known = problems_.slots().empty() && !first_batch_runs_.empty();
    texts_.push_back(nothing_known ? first_batch_runs_ : flight_text(problems_, planned));
  }
  if (std::all_of(texts_.begin(), texts_.end(),
                  [&](const std::string& text) { return text == texts_.front(); })) {
    alone_ = texts_.front();
  }
  if (flight_) {
    flight_->take_off(batch_count_ + 1, texts_);
  }
}

void Continuation::landed() {
  if (flight_) {
    flight_->landed();
  }
  made_ready_.push_back(alone_);  // all ranks have come back
  for (const std::string& text : std::exchange(made_ready_, {})) {
    if (resumption_.strikes().clear(text) && journal_) {
      journal_->clear(text);
    }
  }
}

/// A rank may be late because it compiles or loads something before it launches anything. Defaults are not
/// blamed for that, because nothing could be run instead of them: a rank that they end says so in its own
/// file.
void Continuation::end(RunEnd end) {
  const bool only_defaults = std::all_of(texts_.begin(), texts_.end(), is_of_defaults);
  const bool blamed = end == RunEnd::in_flight || (end == RunEnd::rank_lost && !only_defaults);
  if (flight_ && !blamed) {
    flight_->landed();
  }
  if (flight_ && end == RunEnd::done) {
    flight_->remove();
  }
  if (journal_ && end == RunEnd::done) {
    journal_->end();
  }
  flight_.reset();
  journal_.reset();  // another run may begin while a thread still refers to this one
}

}  // namespace contextual::tuning
