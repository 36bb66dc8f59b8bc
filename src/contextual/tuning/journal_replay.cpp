#include "contextual/tuning/journal_replay.hpp"

#include <optional>
#include <string>
#include <utility>

namespace contextual::tuning {

JournalReplay::JournalReplay(Continuation& continuation, agreement::ProblemSet& problems,
                             record::Recorder& recorder, MarkRejected mark_rejected)
    : continuation_(continuation),
      problems_(problems),
      recorder_(recorder),
      mark_rejected_(std::move(mark_rejected)) {}

void JournalReplay::advance(RunProgress& progress) {
  follow(progress);
  end_following();
  skip_quarantined(progress);
  replace_quarantined_choices(progress);
}

void JournalReplay::follow(RunProgress& progress) {
  policy::TuningState& state = problems_.state();
  while (const journal::BatchRecord* record = continuation_.next()) {
    if (!continuation_.fits_rejections()) {
      break;
    }
    for (const std::vector<policy::RejectionOutcome>& found : record->unprepared) {
      mark_rejected_(found);
      state.reject(found);
    }
    if (record->repeat_length > 0) {
      return;
    }
    const std::vector<policy::IterationPlan> planned = state.plan(record->length);
    if (!continuation_.fits(planned, problems_.slots().size())) {
      break;
    }
    note_quarantined(planned, record->outcome);
    mark_rejected_(record->outcome.rejections);
    state.observe(planned, record->outcome);
    progress.iterations += static_cast<std::int64_t>(record->length);
    continuation_.advance();
  }
}

void JournalReplay::end_following() {
  if (continuation_.next() != nullptr) {
    return;
  }
  recorder_.report().resumed_iterations = continuation_.iterations();
  for (const std::string& note : continuation_.take_notes()) {
    recorder_.warning(note);
  }
  for (const auto& [assignment, reason] : std::exchange(followed_quarantine_, {})) {
    warn_of_quarantine(assignment, reason);
  }
}

/// What the earlier run has left out this one leaves out, too.
void JournalReplay::note_quarantined(const std::vector<policy::IterationPlan>& planned,
                                     const policy::BatchOutcome& outcome) {
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (outcome.iterations[i].infeasible.empty()) {
      continue;
    }
    if (const std::optional<std::string> reason = continuation_.quarantine_of(planned[i])) {
      followed_quarantine_.emplace_back(problems_.state().assignment_of(planned[i]), *reason);
    }
  }
}

void JournalReplay::warn_of_quarantine(const Assignment& assignment, const std::string& reason) {
  if (const std::string text = problems_.assignment_text(assignment); told_quarantine_.insert(text).second) {
    recorder_.warning(text + ": " + reason);
  }
}

/// What has ended the process twice counts as infeasible.
void JournalReplay::skip_quarantined(RunProgress& progress) {
  policy::TuningState& state = problems_.state();
  Assignment skipped;
  while (continuation_.next() == nullptr && progress.discovered && !state.done()) {
    const std::vector<policy::IterationPlan> planned = state.plan(1);
    const std::optional<std::string> reason = continuation_.quarantine_of(planned.front());
    const Assignment assignment = state.assignment_of(planned.front());
    if (!reason || assignment == skipped) {
      return;
    }
    skipped = assignment;
    const policy::BatchOutcome outcome = state.infeasible_outcome(planned.front(), *reason);
    warn_of_quarantine(assignment, *reason);
    state.observe(planned, outcome);
    continuation_.write(planned, outcome, problems_.slots().size());
    progress.iterations += 1;
  }
}

/// The final run has ended the process twice with what was chosen: for one problem the second best takes its
/// place.
void JournalReplay::replace_quarantined_choices(const RunProgress& progress) {
  policy::TuningState& state = problems_.state();
  while (continuation_.next() == nullptr && progress.discovered && state.done()) {
    const policy::IterationPlan planned = state.plan(1).front();
    const std::optional<std::string> reason = continuation_.quarantine_of(planned);
    if (!reason) {
      return;
    }
    const Assignment chosen = state.assignment_of(planned);
    warn_of_quarantine(chosen, *reason);
    const auto is_replaced = [&](std::size_t p) {
      if (chosen[p] == 0) {
        return false;
      }
      mark_rejected_({{p, chosen[p], 0, *reason}});
      return state.reject_choice(p, chosen[p], *reason);
    };
    std::size_t p = 0;
    while (p < chosen.size() && !is_replaced(p)) {
      ++p;
    }
    if (p == chosen.size()) {
      return;
    }
  }
}

}  // namespace contextual::tuning
