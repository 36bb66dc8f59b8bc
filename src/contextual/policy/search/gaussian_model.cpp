#include "contextual/policy/search/gaussian_model.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"
#include "contextual/policy/search/random_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace contextual::policy::search {

namespace {

/// The kinds of terms, so that their random numbers differ.
enum class Term : std::uint64_t {
  common = 1,
  config,
  parameter,
  pair,
  assignment,
  drift,
  own_drift,
  noise,
  partners
};

/// So many problems at most have pairs' terms with a problem. With all of them, a draw would cost the square
/// of the number of problems for each measurement.
constexpr std::size_t most_partners = 8;

double normal(std::uint64_t seed, Term term, std::uint64_t key) {
  return standard_normal(mixed(seed, mixed(static_cast<std::uint64_t>(term), key)));
}

/// One problem's share of an assignment's key.
std::uint64_t key_of(std::size_t problem, std::size_t config) {
  return mixed(problem, config);
}

/// The sum of the shares, so that a change of one problem needs two of them only.
std::uint64_t key_of(const Assignment& assignment) {
  std::uint64_t key = assignment.size();
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    key += key_of(p, assignment[p]);
  }
  return key;
}

/// The sum of the steps' terms is nearly normal and has a variance of 1, and a covariance that falls linearly
/// with their distance.
double drift_of(std::uint64_t seed, Term term, std::uint64_t key, long step) {
  const std::uint64_t of_term = mixed(seed, mixed(static_cast<std::uint64_t>(term), key));
  double sum = 0;
  for (int back = 0; back < drift_steps; ++back) {
    sum += coarse_normal(of_term + mixed(static_cast<std::uint64_t>(step - back)));
  }
  return sum / std::sqrt(static_cast<double>(drift_steps));
}

}  // namespace

GaussianModel::GaussianModel(const MeasurementTable& table, const Variances& variances, double mean)
    : table_(&table) {
  update(variances, mean, 0);
}

void GaussianModel::update(const Variances& variances, double mean, std::size_t kept) {
  const std::size_t problems = table_->space().problem_count();
  factor_.keep(variances == variances_ ? kept : 0);
  variances_ = variances;
  mean_ = mean;
  by_matches_.clear();
  for (std::size_t matches = 0; matches <= problems; ++matches) {
    by_matches_.push_back(covariance(variances, {matches, 0}, problems));
  }
  while (factor_.size() < table_->size()) {
    factor_.append(table_->row(variances, factor_.size()));
  }
  weights_ = factor_.solve(centred());
}

std::vector<double> GaussianModel::centred() const {
  std::vector<double> values;
  values.reserve(table_->size());
  for (std::size_t i = 0; i < table_->size(); ++i) {
    values.push_back((*table_)[i].value - mean_);
  }
  return values;
}

double GaussianModel::weighted(const std::vector<Likeness>& likeness,
                               const std::vector<double>& weights) const {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] * covariance_of(likeness[i]);
  }
  return sum;
}

double GaussianModel::expected(const Assignment& assignment) const {
  return mean_ + weighted(table_->likeness(assignment), weights_);
}

double GaussianModel::log_evidence() const {
  return factor_.log_density(centred());
}

/// Matheron's rule: a draw of the prior, corrected by what it gets wrong about the measurements.
GaussianModel::Draw::Draw(const GaussianModel& model, std::uint64_t seed)
    : model_(&model),
      seed_(seed),
      common_(std::sqrt(model.variances_.common) * normal(seed, Term::common, 0)) {
  const Variances& variances = model.variances_;
  const SearchSpace& space = model.table_->space();
  const auto problems = static_cast<double>(space.problem_count());
  for (std::size_t p = 0; p < space.problem_count(); ++p) {
    std::vector<double>& terms = terms_.emplace_back();
    for (std::size_t config = 0; config < space.config_count(p); ++config) {
      double parameters = 0;
      const std::vector<std::uint64_t>& words = space.parameters(p, config);
      for (std::size_t i = 0; i < words.size(); ++i) {
        parameters += normal(seed, Term::parameter, mixed(words[i], i));
      }
      terms.push_back(std::sqrt(variances.config / problems) * normal(seed, Term::config, mixed(p, config)) +
                      std::sqrt(variances.parameter / problems / static_cast<double>(words.size())) *
                          parameters);
    }
  }
  partners_ = draw_partners();
  if (!partners_.empty() && !partners_.front().empty()) {
    const auto partners = static_cast<double>(partners_.front().size());
    scale_of_pairs_ = std::sqrt(2 * variances.pair / (problems * partners));
  }
  priors_ = priors_of_measured();
  weights_ = model.factor_.solve(wrong());
}

/// Every two problems are as likely as any others to be partners, in ascending order: few problems all of
/// each other, many their neighbours on a ring in a random order.
std::vector<std::vector<std::size_t>> GaussianModel::Draw::draw_partners() const {
  const std::size_t problems = terms_.size();
  std::vector<std::vector<std::size_t>> partners(problems);
  std::vector<std::size_t> ring(problems);
  std::iota(ring.begin(), ring.end(), std::size_t{0});
  if (problems <= most_partners + 1) {
    for (std::size_t p = 0; p < problems; ++p) {
      std::copy_if(ring.begin(), ring.end(), std::back_inserter(partners[p]),
                   [p](std::size_t other) { return other != p; });
    }
    return partners;
  }
  RandomWords random(mixed(seed_, static_cast<std::uint64_t>(Term::partners)));
  for (std::size_t left = problems; left > 1; --left) {
    std::swap(ring[left - 1], ring[random.below(left)]);
  }
  for (std::size_t place = 0; place < problems; ++place) {
    for (std::size_t distance = 1; distance <= most_partners / 2; ++distance) {
      const std::size_t other = ring[(place + distance) % problems];
      partners[ring[place]].push_back(other);
      partners[other].push_back(ring[place]);
    }
  }
  for (std::vector<std::size_t>& of_problem : partners) {
    std::sort(of_problem.begin(), of_problem.end());
  }
  return partners;
}

/// For each measurement the sum of its pairs' terms, in the order in which `prior` adds them. The loop over
/// the measurements is the inner one, because many of them have the same term where there are few.
std::vector<double> GaussianModel::Draw::pairs_of_measured() const {
  const MeasurementTable& table = *model_->table_;
  const SearchSpace& space = table.space();
  std::vector<double> sums(table.size());
  std::vector<double> of_problem(table.size());
  std::vector<std::optional<double>> terms;
  for (std::size_t p = 0; p < terms_.size(); ++p) {
    std::fill(of_problem.begin(), of_problem.end(), 0.0);
    for (const std::size_t other : partners_[p]) {
      const std::size_t others_configs = space.config_count(other);
      const std::size_t existing = space.config_count(p) * others_configs;
      const bool shared = existing <= table.size();
      terms.assign(shared ? existing : 1, std::nullopt);
      for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t config = table[i].assignment[p];
        const std::size_t others_config = table[i].assignment[other];
        std::optional<double>& term = terms[shared ? config * others_configs + others_config : 0];
        if (!term || !shared) {
          term = pair(key_of(p, config), key_of(other, others_config));
        }
        of_problem[i] += *term;
      }
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      sums[i] += of_problem[i] / 2;  // each is met from both sides
    }
  }
  return sums;
}

std::vector<double> GaussianModel::Draw::priors_of_measured() const {
  const MeasurementTable& table = *model_->table_;
  const std::vector<double> pairs = pairs_of_measured();
  std::vector<double> priors;
  priors.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.first_of(i) != i) {
      priors.push_back(priors[table.first_of(i)]);
      continue;
    }
    const Assignment& assignment = table[i].assignment;
    double terms = 0;
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      terms += terms_[p][assignment[p]];
    }
    priors.push_back(prior(terms, pairs[i], key_of(assignment)));
  }
  return priors;
}

/// The measurements less what they would be if the draw of the prior were true.
std::vector<double> GaussianModel::Draw::wrong() const {
  const Variances& variances = model_->variances_;
  const MeasurementTable& table = *model_->table_;
  std::vector<double> wrong = model_->centred();
  std::optional<long> step;  // of the measurement before
  double drift = 0;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const Measurement& measurement = table[i];
    wrong[i] -= priors_[i] + std::sqrt(noise(variances, measurement)) * normal(seed_, Term::noise, i);
    const long step_now = drift_step(measurement.run);
    if (variances.drift > 0) {
      drift = step == step_now ? drift : drift_of(seed_, Term::drift, 0, step_now);
      wrong[i] -= std::sqrt(variances.drift) * drift;
    }
    if (variances.own_drift > 0) {
      wrong[i] -= std::sqrt(variances.own_drift) *
                  drift_of(seed_, Term::own_drift, key_of(measurement.assignment), step_now);
    }
    step = step_now;
  }
  return wrong;
}

double GaussianModel::Draw::prior(double sum_of_terms, double sum_of_pairs,
                                  std::uint64_t assignment_key) const {
  const Variances& variances = model_->variances_;
  return common_ + sum_of_terms + scale_of_pairs_ * sum_of_pairs +
         std::sqrt(variances.assignment) * normal(seed_, Term::assignment, assignment_key);
}

/// The same for both orders of the two.
double GaussianModel::Draw::pair(std::uint64_t key_of_one, std::uint64_t key_of_other) const {
  return normal(seed_, Term::pair, key_of_one + key_of_other);
}

/// The sum of the terms of all pairs that a config of one problem is part of.
double GaussianModel::Draw::pairs_of(const Assignment& assignment, std::size_t problem,
                                     std::size_t config) const {
  const std::uint64_t key = key_of(problem, config);
  double sum = 0;
  for (const std::size_t other : partners_[problem]) {
    sum += pair(key, key_of(other, assignment[other]));
  }
  return sum;
}

double GaussianModel::Draw::prior(const Assignment& assignment) const {
  double terms = 0;
  double pairs = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    terms += terms_[p][assignment[p]];
    pairs += pairs_of(assignment, p, assignment[p]) / 2;  // each is met from both sides
  }
  return prior(terms, pairs, key_of(assignment));
}

double GaussianModel::Draw::operator()(const Assignment& assignment) const {
  const MeasurementTable& table = *model_->table_;
  const std::optional<std::size_t> known = table.find(assignment);
  return model_->mean_ + (known ? priors_[*known] : prior(assignment)) +
         model_->weighted(table.likeness(assignment), weights_);
}

GaussianModel::Draw::Place::Place(const Draw& draw, Assignment assignment)
    : draw_(&draw),
      assignment_(std::move(assignment)),
      key_(key_of(assignment_)),
      likeness_(draw.model_->table_->likeness(assignment_)) {
  for (std::size_t p = 0; p < assignment_.size(); ++p) {
    pairs_.push_back(draw.pairs_of(assignment_, p, assignment_[p]));
  }
  evaluate();
}

/// From what is known of each problem and measurement.
void GaussianModel::Draw::Place::evaluate() {
  sum_of_terms_ = 0;
  sum_of_pairs_ = 0;
  for (std::size_t p = 0; p < assignment_.size(); ++p) {
    sum_of_terms_ += draw_->terms_[p][assignment_[p]];
    sum_of_pairs_ += pairs_[p] / 2;  // each is met from both sides
  }
  value_ = draw_->model_->mean_ + draw_->prior(sum_of_terms_, sum_of_pairs_, key_) +
           draw_->model_->weighted(likeness_, draw_->weights_);
}

double GaussianModel::Draw::Place::value_with(std::size_t problem, std::size_t config) const {
  const GaussianModel& model = *draw_->model_;
  const MeasurementTable& table = *model.table_;
  const std::size_t now = assignment_[problem];
  const double terms = sum_of_terms_ - draw_->terms_[problem][now] + draw_->terms_[problem][config];
  const double pairs = sum_of_pairs_ - pairs_[problem] + draw_->pairs_of(assignment_, problem, config);
  const std::uint64_t key = key_ - key_of(problem, now) + key_of(problem, config);
  double sum = model.mean_ + draw_->prior(terms, pairs, key);
  for (std::size_t i = 0; i < likeness_.size(); ++i) {
    const std::size_t measured = table[i].assignment[problem];
    Likeness likeness = likeness_[i];
    likeness.matches = likeness.matches + (config == measured ? 1 : 0) - (now == measured ? 1 : 0);
    likeness.parameters += table.space().likeness_change(problem, now, config, measured);
    sum += draw_->weights_[i] * model.covariance_of(likeness);
  }
  return sum;
}

void GaussianModel::Draw::Place::move(std::size_t problem, std::size_t config) {
  const MeasurementTable& table = *draw_->model_->table_;
  const std::size_t before = std::exchange(assignment_[problem], config);
  key_ += key_of(problem, config) - key_of(problem, before);
  pairs_[problem] = draw_->pairs_of(assignment_, problem, config);
  for (const std::size_t other : draw_->partners_[problem]) {
    pairs_[other] = draw_->pairs_of(assignment_, other, assignment_[other]);
  }
  for (std::size_t i = 0; i < likeness_.size(); ++i) {
    const std::size_t measured = table[i].assignment[problem];
    likeness_[i].matches = likeness_[i].matches + (config == measured ? 1 : 0) - (before == measured ? 1 : 0);
    likeness_[i].parameters += table.space().likeness_change(problem, before, config, measured);
  }
  evaluate();
}

namespace {

/// A variance within a factor of twenty of the built-in one costs little.
double log_preference(const Variances& variances) {
  const Variances built_in;
  double sum = 0;
  for (double Variances::*const member : fitted_variances) {
    const double distance = natural_logarithm(variances.*member / built_in.*member) / 3;
    sum -= 0.5 * distance * distance;
  }
  return sum;
}

/// Returns the most drift that repeated measurements of assignments leave possible, their noise included, or
/// the usual one. Only they show it: a walk takes configs in their order, in which these may get faster and
/// slower as well.
double drift_shown(const MeasurementTable& table) {
  std::map<std::size_t, std::size_t> first_samples;  // by the first measurement, which may be a lead-in
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].samples == 0) {
      continue;
    }
    const Measurement& first = table[first_samples.try_emplace(table.first_of(i), i).first->second];
    if (drift_step(table[i].run) != drift_step(first.run)) {
      const double difference = table[i].value - first.value;
      sum += difference * difference;
      count += 1;
    }
  }
  return std::max(Variances{}.drift, count > 0 ? sum / count : 0);
}

double score(const MeasurementTable& table, const Variances& variances, double mean) {
  return GaussianModel(table, variances, mean).log_evidence() + log_preference(variances);
}

}  // namespace

Variances fit_variances(const MeasurementTable& table, const Variances& start) {
  const double mean = table.median_value();
  const double most_drift = drift_shown(table);
  const auto most = [&](double Variances::*member) {
    return member == &Variances::drift || member == &Variances::own_drift ? most_drift : 4;
  };
  Variances best = start;
  best.drift = std::min(best.drift, most_drift);
  best.own_drift = std::min(best.own_drift, most_drift);
  double best_score = score(table, best, mean);
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (double Variances::*const member : fitted_variances) {
      for (const double factor : {4.0, 0.25}) {
        Variances next = best;
        next.*member *= factor;
        while (next.*member > 1e-7 && next.*member <= most(member)) {
          const double next_score = score(table, next, mean);
          if (next_score <= best_score) {
            break;
          }
          best_score = next_score;
          best = next;
          next.*member *= factor;
        }
      }
    }
  }
  return best;
}

}  // namespace contextual::policy::search
