#include "contextual/tuning/continuation.hpp"

#include "contextual/agreement/joining.hpp"
#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/agreement/plan_digest.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <algorithm>
#include <sstream>

namespace contextual::tuning {

using journal::BatchRecord;
using journal::Event;
using journal::line_of;

namespace {

constexpr const char* way_out = "; `contextual-cache forget` lets it run again";

/// See BatchRecord::joined. `before`: so many problems were known before the batch.
std::string joined_text(const agreement::ProblemSet& set, std::size_t before) {
  const std::vector<detail::ProblemSlot*> joined(set.slots().begin() + static_cast<std::ptrdiff_t>(before),
                                                 set.slots().end());
  std::string text;
  for (const detail::ProblemSlot* slot : joined) {
    text.append(slot->problem.name).append(" ").append(slot->problem.key_text).append("; ");
  }
  return before > 0 && joined.empty() ? text : text + detail::hex_text(agreement::problems_digest(joined));
}

/// By problem and config, or by iteration.
auto failures_of(const policy::BatchOutcome& outcome) {
  std::set<std::pair<std::size_t, std::optional<std::size_t>>> failures;
  for (const policy::RejectionOutcome& rejection : outcome.rejections) {
    failures.emplace(rejection.problem, rejection.config_id);
  }
  for (std::size_t i = 0; i < outcome.iterations.size(); ++i) {
    if (!outcome.iterations[i].infeasible.empty()) {
      failures.emplace(i, std::nullopt);
    }
  }
  return failures;
}

}  // namespace

std::vector<std::string> Continuation::begin(const agreement::Hello& hello, const std::string& heading,
                                             std::vector<std::string> starts,
                                             std::unique_ptr<journal::JournalFile> journal) {
  journal_ = std::move(journal);
  keeps_journal_ = hello.keeps_journal;
  std::istringstream lines(hello.journal);
  for (std::string line; std::getline(lines, line);) {
    history_.take_in(line);
  }
  if (hello.journal.empty()) {
    history_.quarantine.begin(agreement::kernels_text());
  }
  const bool left_something = !history_.batches.empty();
  starts.insert(starts.begin(), heading);
  note(line_of(Event::heading, starts));
  if (left_something && history_.batches.empty()) {
    tell_end("it was begun with other kernels, machines, timers or options");
  }
  return history_.starts;
}

/// Takes it in like whoever reads it later.
void Continuation::note(const std::string& line) {
  history_.take_in(line);
  append(line);
}

void Continuation::append(const std::string& line) {
  if (!journal_) {
    return;
  }
  journal_->append(line);
  if (!journal_->problem().empty()) {
    const std::string text =
        storage::unwritten_warning(cache_directory_, "this run cannot be resumed", journal_->problem());
    journal_.reset();
    if (!text.empty()) {  // it was said before
      storage::is_unwritable(cache_directory_) ? recorder_.loud_warning(text) : recorder_.warning(text);
    }
  }
}

void Continuation::leave(const std::string& why) {
  history_.batches.clear();
  tell_end(why);
}

/// Of the earlier run. `why` it was not followed to its end, if so.
void Continuation::tell_end(const std::string& why) const {
  recorder_.warning("this run goes on with " + std::to_string(iterations_) +
                    " tuning iterations that an earlier process has measured" +
                    (why.empty() ? why : ", and not with the rest: " + why));
}

/// What is only answered from the earlier run is no danger.
std::size_t Continuation::length_of(const Plan& plan) const {
  const journal::Quarantine& quarantine = history_.quarantine;
  const BatchRecord* const then = next();
  const std::size_t most = then == nullptr ? plan.size() : std::min(plan.size(), then->length);
  if (quarantine.empty() || (then != nullptr && then->joined.empty())) {
    return most;
  }
  const std::string first = journal_text(problems_, plan.front());
  if (quarantine.quarantined(first)) {
    return 1;
  }
  const auto end = std::find_if(plan.begin(), plan.end(), [&](const policy::IterationPlan& planned) {
    const std::string text = journal_text(problems_, planned);
    return text != first && (quarantine.suspect(first) || quarantine.suspect(text));
  });
  return std::min(most, static_cast<std::size_t>(end - plan.begin()));
}

std::optional<Continuation::Rejections> Continuation::answer(const Plan& plan) {
  policy::TuningState& state = problems_.state();
  if (const BatchRecord* const then = next()) {
    const bool runs_again = !then->joined.empty();
    if (agreement::plan_digest(plan) != then->plan_digest || (runs_again && quarantine_of(plan.front()))) {
      leave("the tuning takes another course");
      return Rejections();
    }
    if (runs_again) {
      return std::nullopt;
    }
    const policy::BatchOutcome outcome = then->outcome;
    if (outcome.any_infeasible()) {
      static_cast<void>(quarantine_of(plan.front()));  // what was left out then is told of this run, too
    }
    follow(plan, outcome);
    return outcome.rejections;
  }
  const std::optional<std::string> reason = quarantine_of(plan.front());
  if (!reason) {
    return std::nullopt;
  }
  if (state.done()) {  // processes have died of the final run
    return state.reject_choices(*reason, policy::Replacement::next_best) ? std::optional(Rejections())
                                                                         : std::nullopt;
  }
  const Assignment before = std::exchange(skipped_, state.assignment_of(plan.front()));
  if (skipped_ == before) {  // the state has nothing else
    return std::nullopt;
  }
  policy::BatchOutcome outcome = state.infeasible_outcome(plan.front(), *reason);
  observe(plan, problems_.slots().size(), outcome);
  return Rejections();
}

/// Gives the state the outcome of the next batch of the earlier run.
void Continuation::follow(const Plan& plan, const policy::BatchOutcome& outcome) {
  const BatchRecord& then = *next();
  ++count_;
  if (then.unprepared) {
    problems_.state().reject(outcome.rejections);
  } else {
    problems_.state().observe(plan, outcome);
    iterations_ += then.length;
    elapsed_ns_ = std::max(elapsed_ns_, outcome.elapsed_ns);  // what was skipped took none
  }
  if (next() == nullptr) {
    tell_end("");
  }
}

void Continuation::observe(const Plan& plan, std::size_t joined_before, policy::BatchOutcome& outcome) {
  const std::string joined = joined_text(problems_, joined_before);
  if (next() != nullptr && joined != next()->joined) {
    leave("the region launches other kernels or keys, or they look different: " + joined +
          "; before: " + next()->joined);
  } else if (next() != nullptr) {
    const auto then = failures_of(next()->outcome);
    const auto now = failures_of(outcome);
    if (std::includes(then.begin(), then.end(), now.begin(), now.end())) {
      outcome = next()->outcome;
      came_back();
      return follow(plan, outcome);
    }
    leave("what was run again has failed now");
  }
  outcome.elapsed_ns += elapsed_ns_;
  problems_.state().observe(plan, outcome);
  write(plan, joined, false, outcome);
}

void Continuation::reject(const Plan& plan, const Rejections& rejections) {
  if (next() != nullptr) {
    leave("what was made ready again has failed now");
  }
  problems_.state().reject(rejections);
  write(plan, {}, true, {{}, rejections});
}

/// All of it has come back.
void Continuation::write(const Plan& plan, const std::string& joined, bool unprepared,
                         const policy::BatchOutcome& outcome) {
  history_.quarantine.came_back();
  ++count_;
  if (journal_) {
    append(line_of(BatchRecord{count_, agreement::plan_digest(plan), plan.size(), joined, unprepared, outcome,
                               problems_.state().comparing()}));
  }
}

/// There is a warning of it.
std::optional<std::string> Continuation::quarantine_of(const policy::IterationPlan& planned) {
  if (history_.quarantine.empty() || !history_.quarantine.quarantined(journal_text(problems_, planned))) {
    return std::nullopt;
  }
  const std::string reason =
      std::string("in quarantine: it has twice ended a process or broken a rank while it ran") + way_out;
  const std::string text = problems_.assignment_text(problems_.state().assignment_of(planned));
  if (told_quarantine_.insert(text).second) {
    recorder_.warning(text + ": " + reason);
  }
  return reason;
}

std::string Continuation::quarantine_of(const DueConfig& due) const {
  const detail::Problem& problem = due.slot->problem;
  const bool out = history_.quarantine.quarantined(config_text(problem, due.config_id)) ||
                   history_.quarantine.quarantined(loading_text(problem, due.config_id));
  return out ? std::string("in quarantine: it has ended processes while it ran or was made ready") + way_out
             : std::string();
}

/// Defaults are not written down: nothing could be run instead of them.
bool Continuation::about_to_load(std::vector<DueConfig>& due) {
  const auto text = [](const DueConfig& config) {
    return loading_text(config.slot->problem, config.config_id);
  };
  const auto suspect = std::find_if(due.begin(), due.end(), [&](const DueConfig& config) {
    return quarantine_of(config).empty() && history_.quarantine.suspect(text(config));
  });
  const bool alone = suspect != due.end() && due.size() > 1;
  if (alone) {
    due = {*suspect};
  }
  std::set<std::string> texts;
  for (const DueConfig& config : due) {
    if (config.config_id != 0 && quarantine_of(config).empty()) {
      texts.insert(text(config));
    }
  }
  run_next(texts);
  return alone;
}

bool Continuation::about_to_run(const Plan& plan) {
  skipped_.clear();
  if (!keeps_journal_ && history_.quarantine.empty()) {
    return false;
  }
  std::set<std::string> texts;
  for (const policy::IterationPlan& planned : plan) {
    const bool kept = problems_.slots().empty() && !first_batch_runs_.empty();
    texts.insert(kept ? first_batch_runs_ : journal_text(problems_, planned));
  }
  run_next(texts);
  return keeps_journal_ && !std::all_of(texts.begin(), texts.end(), [this](const std::string& text) {
           return history_.quarantine.proven(text);
         });
}

void Continuation::run_next(const std::set<std::string>& texts) {
  if (!texts.empty()) {
    note(line_of(Event::runs, {texts.begin(), texts.end()}));
  }
}

void Continuation::came_back() {
  if (!history_.quarantine.running().empty()) {
    note(line_of(Event::back));
  }
}

/// A rank may be late because it compiles or loads something before it launches anything. Defaults are not
/// blamed for that, because nothing could be run instead of them.
void Continuation::end(JournalEnd end) {
  const journal::Quarantine& quarantine = history_.quarantine;
  const std::vector<std::string>& texts = quarantine.running();
  const bool blamed =
      end == JournalEnd::device_failed ||
      (end == JournalEnd::rank_lost && !std::all_of(texts.begin(), texts.end(), is_of_defaults));
  if (journal_ && end == JournalEnd::done) {
    const std::vector<std::string> kept = quarantine.quarantined();
    journal_->end_with(kept.empty() ? kept
                                    : std::vector{line_of(Event::begins, {quarantine.kernels()}),
                                                  line_of(Event::quarantine, kept)});
    if (!journal_->problem().empty()) {
      detail::warn_once(journal_->problem());
    }
  } else if (!texts.empty() && !blamed) {
    append(line_of(Event::called_off));
  }
  journal_.reset();  // another run may begin while a thread still refers to this one
}

}  // namespace contextual::tuning
