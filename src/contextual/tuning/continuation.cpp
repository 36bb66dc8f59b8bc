#include "contextual/tuning/continuation.hpp"

#include "contextual/agreement/joining.hpp"
#include "contextual/agreement/plan_digest.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/journal_text.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace contextual::tuning {

using journal::BatchRecord;

namespace {

constexpr const char* way_out = "; `contextual-cache forget` lets it run again";

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

std::vector<std::string> Continuation::begin(const agreement::Hello& hello, const std::string& heading,
                                             std::unique_ptr<RunJournal> journal) {
  journal_ = std::move(journal);
  keeps_journal_ = hello.keeps_journal;
  journal::History history;
  std::istringstream lines(hello.journal);
  for (std::string line; std::getline(lines, line);) {
    history.take_in(line);
  }
  const std::string other = history.batches.empty() ? std::string() : history.heading;
  history.take_in(heading);
  append(heading);
  if (!other.empty() && history.batches.empty()) {
    left_ = journal::difference(other, heading);
  }
  earlier_ = std::move(history.batches);
  quarantine_ = std::move(history.quarantine);
  return journal::starts_of(history.heading);
}

void Continuation::append(const std::string& line) {
  if (journal_) {
    journal_->write(line);
  }
}

/// What could not be prepared in the next batch has been taken in already.
void Continuation::leave_planned(const std::string& why) {
  for (const auto& found : next()->unprepared) {
    note_unprepared(found);
  }
  leave(why);
}

void Continuation::leave(const std::string& why) {
  left_ = why;
  earlier_.resize(at_);
}

std::vector<std::vector<policy::RejectionOutcome>> Continuation::take_rejections() {
  if (next() == nullptr || std::exchange(rejections_taken_, true)) {
    return {};
  }
  const policy::TuningState& state = problems_.state();
  for (const auto& found : next()->unprepared) {
    for (const policy::RejectionOutcome& rejection : found) {
      if (rejection.problem >= state.problem_count() ||
          rejection.config_id >= state.problem(rejection.problem).configs.size()) {
        leave("its configs are others");
        return {};
      }
    }
  }
  return next()->unprepared;
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

bool Continuation::follows(const std::vector<policy::IterationPlan>& plan, std::size_t joined_before,
                           policy::BatchOutcome& now) {
  if (next() == nullptr || !fits(plan, joined_before) || !agrees(now)) {
    return false;
  }
  now = next()->outcome;
  for (std::size_t i = 0; next()->repeat_length == 0 && i < now.iterations.size(); ++i) {
    if (!now.iterations[i].infeasible.empty()) {
      static_cast<void>(
          quarantine_of(plan[i]));  // what the earlier run has left out is told of this one, too
    }
  }
  iterations_ += static_cast<std::int64_t>(next()->length);
  elapsed_ns_ = std::max(elapsed_ns_, now.elapsed_ns);  // what was skipped took none
  rejections_taken_ = false;
  ++at_;
  ++batch_count_;
  return true;
}

std::vector<std::string> Continuation::take_notes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  if (next() == nullptr && !std::exchange(told_, true)) {
    if (at_ > 0) {
      notes.push_back("this run goes on with " + std::to_string(iterations_) +
                      " tuning iterations that an earlier process has measured");
    }
    if (!left_.empty()) {
      notes.push_back("what an earlier process has measured is not used" +
                      std::string(at_ > 0 ? " further: " : ": ") + left_);
    }
  }
  return notes;
}

std::string Continuation::take_unwritten() {
  if (!journal_ || journal_->problem().empty() || std::exchange(told_problem_, true)) {
    return {};
  }
  return storage::unwritten_warning(journal_->cache_directory(), "this run cannot be resumed",
                                    journal_->problem());
}

std::size_t Continuation::length_alone(const std::vector<policy::IterationPlan>& plan) const {
  if (quarantine_.empty() || plan.empty()) {
    return plan.size();
  }
  const std::string first = journal_text(problems_, plan.front());
  const bool alone = quarantine_.suspect(first);
  const auto end = std::find_if(plan.begin(), plan.end(), [&](const policy::IterationPlan& planned) {
    const std::string text = journal_text(problems_, planned);
    return text != first && (alone || quarantine_.suspect(text));
  });
  return static_cast<std::size_t>(end - plan.begin());
}

std::optional<std::string> Continuation::quarantine_of(const policy::IterationPlan& planned) {
  if (quarantine_.empty() || !quarantine_.quarantined(journal_text(problems_, planned))) {
    return std::nullopt;
  }
  const std::string reason =
      std::string("in quarantine: it has twice ended a process or broken a rank while it ran") + way_out;
  const std::string text = problems_.assignment_text(problems_.state().assignment_of(planned));
  if (told_quarantine_.insert(text).second) {
    notes_.push_back(text + ": " + reason);
  }
  return reason;
}

std::optional<policy::BatchOutcome> Continuation::outcome_in_quarantine(
    const policy::IterationPlan& planned) {
  const std::optional<std::string> reason = quarantine_of(planned);
  const policy::TuningState& state = problems_.state();
  if (!reason || state.assignment_of(planned) == skipped_) {
    return std::nullopt;
  }
  skipped_ = state.assignment_of(planned);
  return state.infeasible_outcome(planned, *reason);
}

std::optional<std::string> Continuation::quarantine_of(const DueConfig& due) const {
  if (quarantine_.empty()) {
    return std::nullopt;
  }
  if (quarantine_.quarantined(config_text(due.slot->problem, due.config_id))) {
    return std::string("in quarantine: processes have ended while it ran beside others") + way_out;
  }
  if (!quarantine_.quarantined(preparing_text(due.slot->problem, due.config_id))) {
    return std::nullopt;
  }
  return std::string("in quarantine: it has twice ended a process while it was made ready") + way_out;
}

bool Continuation::suspect(const DueConfig& due) const {
  return !quarantine_.empty() && !quarantine_of(due) &&
         quarantine_.suspect(preparing_text(due.slot->problem, due.config_id));
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
  come_back();
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
  append(to_line(record));
}

void Continuation::about_to_run(const std::vector<DueConfig>& due) {
  std::vector<std::string> texts;
  for (const DueConfig& config : due) {
    if (config.config_id != 0 && knows_deaths() && !quarantine_of(config)) {
      texts.push_back(preparing_text(config.slot->problem, config.config_id));
    }
  }
  about_to_run(std::move(texts));
}

bool Continuation::about_to_run(const std::vector<policy::IterationPlan>& plan) {
  skipped_.clear();
  std::vector<std::string> texts;
  for (const policy::IterationPlan& planned : plan) {
    if (knows_deaths()) {
      const bool nothing_known = problems_.slots().empty() && !first_batch_runs_.empty();
      texts.push_back(nothing_known ? first_batch_runs_ : journal_text(problems_, planned));
    }
  }
  const bool unknown = std::any_of(texts.begin(), texts.end(),
                                   [this](const std::string& text) { return !harmless_.contains(text); });
  about_to_run(std::move(texts));
  return keeps_journal_ && unknown;
}

void Continuation::about_to_run(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  if (!texts.empty()) {
    append(journal::runs_line(texts));
  }
  quarantine_.about_to_run(std::move(texts));
}

void Continuation::came_back() {
  if (!quarantine_.running().empty()) {
    append(journal::back_line());
  }
  come_back();
}

void Continuation::come_back() {
  harmless_.insert(quarantine_.running().begin(), quarantine_.running().end());
  quarantine_.came_back();
}

/// A rank may be late because it compiles or loads something before it launches anything. Defaults are not
/// blamed for that, because nothing could be run instead of them.
void Continuation::end(JournalEnd end) {
  const std::vector<std::string>& texts = quarantine_.running();
  const bool blamed =
      end == JournalEnd::device_failed ||
      (end == JournalEnd::rank_lost && !std::all_of(texts.begin(), texts.end(), is_of_defaults));
  if (journal_ && end == JournalEnd::done) {
    journal_->end(quarantine_.quarantined());
  } else if (!texts.empty() && !blamed) {
    append(journal::called_off_line());
  }
  journal_.reset();  // another run may begin while a thread still refers to this one
}

}  // namespace contextual::tuning
