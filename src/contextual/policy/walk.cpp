#include "contextual/policy/walk.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>

namespace contextual::policy {

Walk::Walk(Order order, const std::vector<bool>& left_out, int n_warmup, int n_repeat)
    : configs_(left_out.size()),
      warmups_(order == Order::race ? 1 : static_cast<std::size_t>(n_warmup)),
      samples_(order == Order::race ? 2 : static_cast<std::size_t>(n_repeat)),
      least_(static_cast<std::size_t>(n_repeat)) {
  for (std::size_t id = 0; id < left_out.size(); ++id) {
    configs_[id].out = left_out[id];
  }
  begin_round();
}

std::vector<Step> Walk::plan(std::size_t max_steps) const {
  std::vector<Step> steps;
  std::size_t done = done_;
  for (std::size_t place = place_; place < round_.size() && steps.size() < max_steps; ++place) {
    const Entry& config = configs_[round_[place]];
    int use = config.uses;
    for (; done < visit_length() && !config.out && steps.size() < max_steps; ++done) {
      steps.push_back({round_[place], use++, done < warmups_});
    }
    done = 0;
  }
  return steps;
}

void Walk::observe(const Step& step, std::optional<std::int64_t> time_ns) {
  const std::vector<Step> due = plan(1);
  if (due.empty() || due.front() != step || !(step.warmup || time_ns)) {
    return;
  }
  Entry& config = configs_[step.config_id];
  ++config.uses;
  if (time_ns) {
    config.least_ns = std::min(config.least_ns, *time_ns);
  }
  if (!step.warmup) {
    config.samples_ns.push_back(*time_ns);
  }
  if (++done_ == visit_length()) {
    step_on();
  }
}

void Walk::reject(std::size_t config_id) {
  if (configs_[config_id].out) {
    return;
  }
  configs_[config_id].out = true;
  if (place_ < round_.size() && round_[place_] == config_id) {
    step_on();
  }
  skip_rejected();
}

std::size_t Walk::remaining_steps() const {
  std::size_t live = 0;
  std::size_t steps = 0;
  for (std::size_t place = 0; place < round_.size(); ++place) {
    const bool in = !configs_[round_[place]].out;
    live += in ? 1 : 0;
    steps += in && place >= place_ ? visit_length() : 0;
  }
  const std::size_t known = rounds_ * samples_;  // of each, after this round
  const std::size_t missing = least_ - std::min(least_, known);
  const std::size_t later_rounds = (missing + samples_ - 1) / samples_;
  return steps - done_ + later_rounds * live * visit_length();
}

void Walk::step_on() {
  ++place_;
  done_ = 0;
  skip_rejected();
}

void Walk::skip_rejected() {
  while (place_ < round_.size() && configs_[round_[place_]].out) {
    ++place_;
    done_ = 0;
  }
  if (place_ == round_.size() && !round_.empty()) {
    begin_round();
  }
}

/// A lead-in counts, too: it is too long, if anything, and the machine hardly stalls three uses in a row.
void Walk::drop_slower() {
  const Summary* leader = nullptr;
  std::vector<Summary> summaries;
  summaries.reserve(configs_.size());
  for (const Entry& config : configs_) {
    summaries.push_back(summarize(config.samples_ns));
  }
  for (std::size_t id = 0; id < configs_.size(); ++id) {
    if (!configs_[id].out && summaries[id].count > 0 &&
        (leader == nullptr || summaries[id].centre_ns < leader->centre_ns)) {
      leader = &summaries[id];
    }
  }
  for (std::size_t id = 0; id < configs_.size() && leader != nullptr; ++id) {
    const bool slower = static_cast<double>(configs_[id].least_ns) > leader->greatest_ns;
    configs_[id].out = configs_[id].out || (slower && summaries[id].count > 0);
  }
}

/// Afterwards the round holds what is to be tried, or nothing if the walk is over.
void Walk::begin_round() {
  if (rounds_++ > 0) {
    drop_slower();
  }
  round_.clear();
  place_ = 0;
  done_ = 0;
  bool open = false;
  for (std::size_t id = 0; id < configs_.size(); ++id) {
    if (!configs_[id].out) {
      round_.push_back(id);
      open = open || !complete(configs_[id]);
    }
  }
  const bool decided = round_.size() == 1 && !configs_[round_.front()].samples_ns.empty();
  if (!open || decided) {
    round_.clear();
  }
}

}  // namespace contextual::policy
