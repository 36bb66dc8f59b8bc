#include "contextual/tuning/own_continuation.hpp"

#include "contextual/agreement/plan_digest.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/joined_problems.hpp"

#include <algorithm>
#include <utility>

namespace contextual::tuning {

using journal::BatchRecord;

OwnContinuation::OwnContinuation(agreement::ProblemSet& own, MarkRejected mark_rejected)
    : own_(own), mark_rejected_(std::move(mark_rejected)) {}

void OwnContinuation::begin(OwnJournal journal) {
  journal_ = std::move(journal);
  if (!journal_->folder.read(journal_->file).text) {
    return;
  }
  file_.emplace(journal_->folder, journal_->file, journal_->safety);
  const std::vector<journal::ChainedLine>& lines = file_->lines();
  if (!lines.empty() && lines.front().text == journal_->heading) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::optional<BatchRecord> record = journal::parse_record(lines[i].text);
      const std::uint64_t last = records_.empty() ? 0 : records_.back().batch;
      if (!record || record->batch <= last || record->batch > journal_->batch_count) {
        break;
      }
      records_.push_back(*std::move(record));
    }
  }
  if (!records_.empty()) {
    file_->keep(1 + records_.size());
  } else if (file_->problem().empty()) {
    file_->remove();  // it is made anew with the first problem
    file_.reset();
  }
}

const BatchRecord* OwnContinuation::record_of(std::uint64_t batch) const {
  return at_ < records_.size() && records_[at_].batch == batch ? &records_[at_] : nullptr;
}

void OwnContinuation::reject_unprepared(std::uint64_t batch) {
  const BatchRecord* const record = record_of(batch);
  if (record == nullptr || prepared_ == batch) {
    return;
  }
  prepared_ = batch;
  const policy::TuningState& state = own_.state();
  for (const Rejections& found : record->unprepared) {
    const bool known =
        std::all_of(found.begin(), found.end(), [&](const policy::RejectionOutcome& rejection) {
          return rejection.problem < state.problem_count() &&
                 rejection.config_id < state.problem(rejection.problem).configs.size();
        });
    if (!known) {
      prepared_ = 0;
      leave();
      return;
    }
    mark_rejected_(found);
    own_.state().reject(found);
  }
}

bool OwnContinuation::fits(const BatchRecord& record, const std::vector<policy::IterationPlan>& plan,
                           std::size_t joined_before, const Rejections& now) const {
  const journal::Joined joined = joined_problems(own_, joined_before);
  const auto& iterations = record.outcome.iterations;
  const Rejections& then = record.outcome.rejections;
  return joined.count == record.joined.count && joined.digest == record.joined.digest &&
         agreement::plan_digest(plan) == record.plan_digest &&
         std::all_of(iterations.begin(), iterations.end(),
                     [this](const auto& iteration) {
                       return iteration.cells.size() == own_.state().problem_count();
                     }) &&
         std::all_of(now.begin(), now.end(), [&](const policy::RejectionOutcome& rejection) {
           return std::any_of(then.begin(), then.end(), [&](const policy::RejectionOutcome& old) {
             return old.problem == rejection.problem && old.config_id == rejection.config_id;
           });
         });
}

void OwnContinuation::follow(std::uint64_t batch) {
  reject_unprepared(batch);
  const BatchRecord* const record = record_of(batch);
  if (record == nullptr) {
    return;  // it took no part
  }
  const std::vector<policy::IterationPlan> plan = own_.state().plan(record->length);
  if (const auto taken_in = outcome(batch, plan, own_.slots().size(), {})) {
    mark_rejected_(taken_in->rejections);
    own_.state().observe(plan, *taken_in);
  }
}

std::optional<std::size_t> OwnContinuation::length(std::uint64_t batch) const {
  const BatchRecord* const record = record_of(batch);
  return record == nullptr ? std::nullopt : std::optional(record->length);
}

std::optional<policy::BatchOutcome> OwnContinuation::outcome(std::uint64_t batch,
                                                             const std::vector<policy::IterationPlan>& plan,
                                                             std::size_t joined_before,
                                                             const Rejections& now) {
  const BatchRecord* const record = record_of(batch);
  if (own_.slots().empty()) {
    return std::nullopt;
  }
  if (record == nullptr) {
    leave();
    return std::nullopt;
  }
  if (!fits(*record, plan, joined_before, now)) {
    if (prepared_ == batch) {  // that stays taken in
      unprepared_.insert(unprepared_.begin(), record->unprepared.begin(), record->unprepared.end());
    }
    leave();
    return std::nullopt;
  }
  return records_[at_++].outcome;
}

void OwnContinuation::leave() {
  if (at_ < records_.size()) {
    records_.resize(at_);
    file_->keep(1 + at_);
  }
}

void OwnContinuation::note_unprepared(const Rejections& rejections) {
  if (journal_ && !rejections.empty()) {
    unprepared_.push_back(rejections);
  }
}

void OwnContinuation::write(std::uint64_t batch, const std::vector<policy::IterationPlan>& plan,
                            const policy::BatchOutcome& outcome, std::size_t joined_before) {
  if (!journal_ || own_.slots().empty()) {
    return;
  }
  if (!file_) {
    file_.emplace(journal_->folder, journal_->file, journal_->safety);
    file_->keep(0);
    file_->append(journal_->heading);
  }
  BatchRecord record;
  record.batch = batch;
  record.unprepared = std::exchange(unprepared_, {});
  record.plan_digest = agreement::plan_digest(plan);
  record.length = plan.size();
  record.joined = joined_problems(own_, joined_before);
  record.outcome = outcome;
  file_->append(to_line(record));
}

std::string OwnContinuation::take_warning() {
  if (!file_ || file_->problem().empty() || std::exchange(warned_, true)) {
    return {};
  }
  // Choices are kept all the same, and the run can be resumed: rank 0 writes them.
  return "what this rank tunes alone cannot be resumed: " +
         storage::unwritten_reason(journal_->folder.root(), file_->problem());
}

void OwnContinuation::remove() {
  if (file_) {
    file_->remove();
  }
  close();
}

void OwnContinuation::close() {
  file_.reset();
  journal_.reset();
}

}  // namespace contextual::tuning
