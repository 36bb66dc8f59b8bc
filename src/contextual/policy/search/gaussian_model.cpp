#include "contextual/policy/search/gaussian_model.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"
#include "contextual/policy/search/random_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace contextual::policy::search {

namespace {

/// The kinds of terms, so that their random numbers differ.
enum class Term : std::uint64_t { common = 1, config, parameter, pair, assignment, drift, own_drift, noise };

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

double GaussianModel::weighted(const Assignment& assignment, const std::vector<double>& weights) const {
  const SearchSpace& space = table_->space();
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Assignment& measured = (*table_)[i].assignment;
    const Likeness likeness{space.matches(assignment, measured), space.likeness(assignment, measured)};
    sum += weights[i] * covariance_of(likeness);
  }
  return sum;
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
  return mean_ + weighted(assignment, weights_);
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
  weights_ = model.factor_.solve(wrong());
}

/// The measurements less what they would be if the draw of the prior were true.
std::vector<double> GaussianModel::Draw::wrong() const {
  const Variances& variances = model_->variances_;
  const MeasurementTable& table = *model_->table_;
  std::vector<double> wrong = model_->centred();
  std::vector<double> priors(wrong.size());  // of first measurements of an assignment
  std::optional<long> step;                  // of the measurement before
  double drift = 0;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const Measurement& measurement = table[i];
    const std::size_t first = table.first_of(i);
    priors[i] = first == i ? prior(measurement.assignment) : priors[first];
    wrong[i] -= priors[i] + std::sqrt(noise(variances, measurement)) * normal(seed_, Term::noise, i);
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
  const auto problems = static_cast<double>(terms_.size());
  const double pairs =
      terms_.size() > 1 ? std::sqrt(2 * variances.pair / (problems * (problems - 1))) * sum_of_pairs : 0;
  return common_ + sum_of_terms + pairs +
         std::sqrt(variances.assignment) * normal(seed_, Term::assignment, assignment_key);
}

/// The sum of the terms of all pairs that a config of one problem is part of.
double GaussianModel::Draw::pairs_of(const Assignment& assignment, std::size_t problem,
                                     std::size_t config) const {
  double sum = 0;
  for (std::size_t other = 0; other < assignment.size(); ++other) {
    if (other != problem) {
      // The same for both orders of the two.
      sum += normal(seed_, Term::pair, key_of(problem, config) + key_of(other, assignment[other]));
    }
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
  return model_->mean_ + prior(assignment) + model_->weighted(assignment, weights_);
}

GaussianModel::Draw::Place::Place(const Draw& draw, Assignment assignment)
    : draw_(&draw), assignment_(std::move(assignment)) {
  for (std::size_t p = 0; p < assignment_.size(); ++p) {
    sum_of_terms_ += draw.terms_[p][assignment_[p]];
    pairs_.push_back(draw.pairs_of(assignment_, p, assignment_[p]));
    sum_of_pairs_ += pairs_.back() / 2;
  }
  const MeasurementTable& table = *draw.model_->table_;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Assignment& measured = table[i].assignment;
    likeness_.push_back(
        {table.space().matches(assignment_, measured), table.space().likeness(assignment_, measured)});
  }
  value_ = draw.model_->mean_ + draw.prior(sum_of_terms_, sum_of_pairs_, key_of(assignment_)) +
           draw.model_->weighted(likeness_, draw.weights_);
}

double GaussianModel::Draw::Place::value_with(std::size_t problem, std::size_t config) const {
  const GaussianModel& model = *draw_->model_;
  const MeasurementTable& table = *model.table_;
  const std::size_t now = assignment_[problem];
  const double terms = sum_of_terms_ - draw_->terms_[problem][now] + draw_->terms_[problem][config];
  const double pairs = sum_of_pairs_ - pairs_[problem] + draw_->pairs_of(assignment_, problem, config);
  const std::uint64_t key = key_of(assignment_) - key_of(problem, now) + key_of(problem, config);
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
  assignment_[problem] = config;
  *this = Place(*draw_, std::move(assignment_));
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

double score(const MeasurementTable& table, const Variances& variances, double mean) {
  return GaussianModel(table, variances, mean).log_evidence() + log_preference(variances);
}

}  // namespace

Variances fit_variances(const MeasurementTable& table, const Variances& start) {
  const double mean = table.median_value();
  Variances best = start;
  double best_score = score(table, best, mean);
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (double Variances::*const member : fitted_variances) {
      for (const double factor : {4.0, 0.25}) {
        Variances next = best;
        next.*member *= factor;
        while (next.*member > 1e-7 && next.*member < 4) {
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
