#include "contextual/agreement/batch_agreement.hpp"

#include "contextual/agreement/agreed_word.hpp"
#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/joining.hpp"
#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/agreement/launch_signature.hpp"
#include "contextual/agreement/plan_digest.hpp"
#include "contextual/launch/exception_text.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace contextual::agreement {

using detail::BatchFailure;
using detail::BatchPlan;
using detail::BatchResult;
using detail::LocalCell;
using detail::ProblemSlot;

namespace {

/// What ran beside a problem's launches in a batch. The maximum over ranks counts.
enum BesideWord : std::int64_t {
  nothing_beside,
  no_launch_beside,  ///< other work is not known: the timer sees the host only
  work_beside,
};

}  // namespace

Header BatchAgreement::header_of(Stage stage, const BatchPlan& plan) const {
  Header header;
  header.set(Field::stage, text_digest(to_string(stage)));
  header.set(Field::region, text_digest(context_.region()));
  header.set(Field::plan, plan_digest(plan.iterations));
  return header;
}

/// Collective where the ranks have not launched alike.
void BatchAgreement::note_launched(const Agreement& agreement) {
  launched_alike_ = !agreement.differs(Field::kept);
  if (!launched_alike_) {
    launched_texts_ = exchange_.gather(launched_text(context_));
  }
}

LaunchedKernels BatchAgreement::launched() const {
  return LaunchedKernels(launched_alike_ ? std::vector{launched_text(context_)} : launched_texts_);
}

Agreement BatchAgreement::exchange(Stage stage, const BatchPlan& plan, const Header& header) {
  exchange_.set_place({context_.region(), stage, plan.phase(), plan.first_iteration, plan.last_iteration()});
  return exchange_.agree(header);
}

/// A rank that failed before it knew the next exchange of the others tells it in that one.
void BatchAgreement::throw_if_apart(const Agreement& agreement, const BatchPlan& plan,
                                    const BatchFailure& own) {
  if (agreement.raised(Flag::region_threw) && !agreement.differs(Field::version) &&
      !agreement.differs(Field::sequence) && !agreement.differs(Field::region)) {
    failures_.throw_region_failure(own);
  }
  if (agreement.elsewhere() || agreement.differs(Field::region)) {
    failures_.throw_mismatch(agreement, plan);
  }
}

bool BatchAgreement::launches_rejected() const {
  return std::any_of(context_.slots().begin(), context_.slots().end(),
                     [](const ProblemSlot& slot) { return !slot.launched.rejections.empty(); });
}

bool BatchAgreement::alternative_rejected() const {
  return std::any_of(context_.slots().begin(), context_.slots().end(), [](const ProblemSlot& slot) {
    return slot.problem.choice_point && !slot.launched.rejections.empty();
  });
}

/// Launches may differ in a batch in which a rank had to take another alternative than the others, or in
/// which its region did not come to its end.
void BatchAgreement::throw_if_different(const Agreement& agreement, const BatchPlan& plan) {
  const bool launches = agreement.differs(Field::launches) && !agreement.raised(Flag::launches_cut);
  if (agreement.differs(Field::plan) || launches) {
    failures_.throw_mismatch(agreement, plan);
  }
}

BatchAgreement::Agreed BatchAgreement::agree(const BatchPlan& plan, BatchResult& result) {
  const Joining joining = agree_on_header(plan, result);
  result.cells.resize(context_.slots().size(), std::vector<LocalCell>(plan.length()));
  for (ProblemSlot* slot : joining.problems) {
    problems_.join(*slot, context_.alternative(slot->problem.scope));
    for (LocalCell& cell : result.cells[slot->index]) {
      if (!slot->found.locked_config && cell.config_id != 0) {
        cell.time_ns.reset();  // it was locked in on this rank only, so what it used is not what is observed
      }
    }
  }
  Agreed agreed;
  std::vector<std::int64_t> words = words_of(plan, result);
  exchange_.max(words);
  Rejected rejected;
  if (joining.rejections_anywhere) {
    rejected = gather_rejections(exchange_, rejected_here(result));
  }
  read_words(words, agreed);
  agreed.outcome.rejections = std::move(rejected.configs);
  for (InfeasibleIteration& infeasible : rejected.iterations) {
    if (infeasible.batch_iteration < agreed.outcome.iterations.size()) {
      agreed.outcome.iterations[infeasible.batch_iteration].infeasible = std::move(infeasible.reason);
    }
  }
  return agreed;
}

/// `verify` judges the batch as a whole, which has one assignment then.
Rejected BatchAgreement::rejected_here(const BatchResult& result) const {
  Rejected rejected{problems_.rejections_of_batch(), problems_.infeasible_of_batch()};
  if (!result.verdict.empty()) {
    rejected.iterations.push_back({0, result.verdict});
  }
  for (const auto& [iteration, thrown] : result.out_of_memory) {
    rejected.iterations.push_back(
        {iteration, "the region ran out of memory: " + detail::exception_text(thrown)});
  }
  return rejected;
}

BatchAgreement::Joining BatchAgreement::agree_on_header(const BatchPlan& plan, const BatchResult& result) {
  Joining joining{newly_seen(context_)};
  Header header = header_of(Stage::batch, plan);
  header.set(Field::launches, launch_digest(context_));
  header.set(Field::problems, problems_digest(joining.problems));
  header.raise(Flag::region_threw, result.failure && !result.failure.tuning_failed);
  header.raise(Flag::tuning_failed, result.failure.tuning_failed);
  header.raise(Flag::rejections,
               launches_rejected() || !result.verdict.empty() || !result.out_of_memory.empty());
  header.raise(Flag::launches_cut, alternative_rejected() || !result.out_of_memory.empty());
  if (plan.kind == detail::BatchKind::discovery) {
    header.set(Field::kept, launched_kernels_digest(context_));
  }
  const Agreement agreement = exchange(Stage::batch, plan, header);
  throw_if_apart(agreement, plan, result.failure);
  if (agreement.raised(Flag::tuning_failed)) {
    failures_.throw_tuning_failure(result.failure);
  }
  throw_if_different(agreement, plan);
  if (plan.kind == detail::BatchKind::discovery) {
    note_launched(agreement);
  }
  KnownSpaces& spaces = problems_.spaces();
  if (agreement.differs(Field::problems)) {
    joining.problems = unite(context_, joining.problems, exchange_, spaces);
  } else {
    std::for_each(joining.problems.begin(), joining.problems.end(),
                  [&](const ProblemSlot* slot) { spaces.add(*slot); });
  }
  joining.rejections_anywhere = agreement.raised(Flag::rejections);
  return joining;
}

/// For each tuning iteration the makespan, then a word a problem. After these, for each problem what ran
/// beside its launches, how long the devices should wait before the next batch, and the time on
/// rank 0's clock.
std::vector<std::int64_t> BatchAgreement::words_of(const BatchPlan& plan, const BatchResult& result) const {
  const bool sees_others = context_.timer().measures_devices();
  const std::vector<ProblemSlot*>& slots = problems_.slots();
  std::vector<std::int64_t> words;
  words.reserve((slots.size() + 1) * (plan.length() + 1) + 1);
  for (std::size_t i = 0; i < plan.length(); ++i) {
    words.push_back(result.disturbed() ? agreed_word::disturbed : agreed_word::of(result.makespans_ns[i]));
    for (const ProblemSlot* slot : slots) {
      const LocalCell& cell = result.cells[slot->index][i];
      words.push_back(!cell.launched ? agreed_word::not_launched
                      : cell.untimed ? agreed_word::untimed
                                     : agreed_word::of(cell.time_ns));
    }
  }
  for (const ProblemSlot* slot : slots) {
    const std::vector<LocalCell>& cells = result.cells[slot->index];
    const bool overlaps = std::any_of(cells.begin(), cells.end(),
                                      [](const LocalCell& cell) { return cell.launched && cell.overlaps; });
    // Only a search visits refinements, so that by the host's clock they keep it.
    const bool searched = overlaps || (!sees_others && slot->problem.refinement_count > 0);
    words.push_back(searched ? work_beside : sees_others ? nothing_beside : no_launch_beside);
  }
  words.push_back(result.wanted_head_start.count());
  words.push_back(exchange_.rank() == 0 ? result.elapsed_ns : 0);
  return words;
}

void BatchAgreement::read_words(const std::vector<std::int64_t>& words, Agreed& agreed) const {
  const std::vector<ProblemSlot*>& slots = problems_.slots();
  const std::size_t length = (words.size() - 1) / (slots.size() + 1) - 1;
  const std::int64_t* const beside = &words[length * (slots.size() + 1)];
  const std::chrono::nanoseconds wanted(*std::prev(words.end(), 2));
  agreed.head_start = wanted == Timer::no_head_start ? std::chrono::nanoseconds{0} : wanted;
  agreed.outcome.elapsed_ns = words.back();
  agreed.times.makespan_ns.assign(length, std::nullopt);
  agreed.times.time_ns.assign(length, std::vector<std::optional<std::int64_t>>(context_.slots().size()));
  for (std::size_t i = 0; i < length; ++i) {
    const std::int64_t* row = &words[i * (slots.size() + 1)];
    const bool out = row[0] == agreed_word::disturbed;
    policy::IterationOutcome& iteration = agreed.outcome.iterations.emplace_back();
    iteration.makespan_ns = agreed.times.makespan_ns[i] = agreed_word::time(row[0]);
    for (std::size_t p = 0; p < slots.size(); ++p) {
      const auto time_ns = out ? std::nullopt : agreed_word::time(row[p + 1]);
      iteration.cells.push_back({.launched = row[p + 1] != agreed_word::not_launched,
                                 .time_ns = time_ns,
                                 .disturbed = out,
                                 .overlaps = beside[p] == work_beside,
                                 .only_launches = beside[p] == no_launch_beside,
                                 .untimed = row[p + 1] == agreed_word::untimed});
      agreed.times.time_ns[i][slots[p]->index] = time_ns;
    }
  }
}

std::vector<policy::RejectionOutcome> BatchAgreement::agree_on_preparing(const BatchPlan& plan,
                                                                         const Preparing& preparing,
                                                                         const BatchFailure& own) {
  if (!preparing.everywhere) {
    return {};
  }
  Header header = header_of(Stage::prepare, plan);
  header.raise(Flag::region_threw, static_cast<bool>(own));
  header.raise(Flag::rejections, !preparing.rejections.empty());
  const Agreement agreement = exchange(Stage::prepare, plan, header);
  throw_if_apart(agreement, plan, own);
  if (agreement.differs(Field::plan)) {
    failures_.throw_mismatch(agreement, plan);
  }
  return agreement.raised(Flag::rejections) ? gather_rejections(exchange_, {preparing.rejections, {}}).configs
                                            : std::vector<policy::RejectionOutcome>();
}

BatchAgreement::FinalRun BatchAgreement::agree_on_final_run(const BatchPlan& plan, const BatchResult& result,
                                                            bool outputs_repeat) {
  Header header = header_of(Stage::final_run, plan);
  header.set(Field::launches, launch_digest(context_));
  header.raise(Flag::region_threw, static_cast<bool>(result.failure));
  header.raise(Flag::rejections, !problems_.rejections_of_batch().empty() || !result.verdict.empty());
  header.raise(Flag::launches_cut, alternative_rejected());
  header.raise(Flag::outputs_differ, !outputs_repeat);
  header.set(Field::kept, launched_kernels_digest(context_));
  const Agreement agreement = exchange(Stage::final_run, plan, header);
  throw_if_apart(agreement, plan, result.failure);
  throw_if_different(agreement, plan);
  note_launched(agreement);
  FinalRun final_run;
  final_run.rejected_anywhere = agreement.raised(Flag::rejections);
  final_run.outputs_repeat = !agreement.raised(Flag::outputs_differ);
  if (final_run.rejected_anywhere) {
    Rejected own{problems_.rejections_of_batch(), {}};
    if (!result.verdict.empty()) {
      own.iterations.push_back({0, result.verdict});
    }
    Rejected rejected = gather_rejections(exchange_, own);
    final_run.rejections = std::move(rejected.configs);
    final_run.wrong = rejected.iterations.empty() ? "" : std::move(rejected.iterations.front().reason);
  }
  return final_run;
}

void BatchAgreement::tell(const BatchPlan& plan, const BatchFailure& own) {
  Header header = header_of(Stage::batch, plan);
  header.raise(Flag::region_threw);
  const Agreement agreement = exchange(Stage::batch, plan, header);
  throw_if_apart(agreement, plan, own);
  failures_.throw_mismatch(agreement, plan);
}

void BatchAgreement::agree_on_failed_tuning(const BatchPlan& plan, const BatchFailure& own) {
  Header header = header_of(Stage::batch, plan);
  header.raise(Flag::region_threw, static_cast<bool>(own));
  throw_if_apart(exchange(Stage::batch, plan, header), plan, own);
}

}  // namespace contextual::agreement
