#pragma once

/// \file
/// The table of options, one row per option: its name, its member of Options, the member for its resolved
/// value, whether it must be equal on all ranks, and the environment variable that takes precedence over it.
/// Precedence and the comparison between ranks follow these rows. A new option therefore needs its documented
/// member, the member for its resolved value, a row, and a check of its value in `validate` or, of a policy
/// option, in policy/options_check.hpp. A new variable needs its member of Environment, a line in
/// `parse_environment`, and `overridden_by` in the option's row.

#include "contextual/options/option_row.hpp"

#include <tuple>

namespace contextual::options {

constexpr auto option_table() {
  using O = Options;
  using S = SearchSettings;
  using P = policy::PolicyOptions;
  using R = ResolvedOptions;
  using E = Environment;
  return std::tuple{
      row("mode", &O::mode, &R::mode).agreed().overridden_by(&E::mode),
      row("n_warmup", &O::n_warmup, &P::n_warmup).agreed(),
      row("n_repeat", &O::n_repeat, &P::n_repeat).agreed(),
      row("iterations", &O::iterations, &R::iterations).agreed(),
      row("max_iterations", &O::max_iterations, &P::max_iterations).agreed(),
      row("always_tune", &O::always_tune, &R::always_tune).agreed().overridden_by(&E::always_tune),
      row("tie_margin", &O::tie_margin, &P::tie_margin).agreed(),
      row("search", &O::search, &P::search).agreed(),
      row("search_settings.runs", &S::runs, &P::search_runs).agreed(),
      row("search_settings.time", &S::time, &P::search_time).agreed(),
      row("search_settings.closing_rounds", &S::closing_rounds, &P::closing_rounds).agreed(),
      row("search_settings.factory", &S::factory, &P::search_factory).agreed(),
      row("feasible", &O::feasible, &R::feasible).agreed(),
      row("verify", &O::verify, &R::verify).agreed(),
      row("outputs", &O::outputs, &R::outputs).agreed(),
      row("restore", &O::restore, &R::restore),
      row("parts", &O::parts, &R::parts).agreed(),
      row("is_out_of_memory", &O::is_out_of_memory, &R::is_out_of_memory),
      row("deadline", &O::deadline, &R::deadline),
      row("grace", &O::grace, &R::grace),
      row("log_directory", &O::log_directory, &R::log_directory).overridden_by(&E::log_directory),
      row("revalidate", &O::revalidate, &R::revalidate).agreed(),
      row("cache_directory", &O::cache_directory, &R::cache_directory).overridden_by(&E::cache_directory),
      row("choices_path", &O::choices_path, &R::choices_path).overridden_by(&E::choices_path),
      row("journal", &O::journal, &R::journal),
      row("print", &O::print, &R::print).overridden_by(&E::print),
      row("communicator", &O::communicator, &R::communicator),
      row("timer", &O::timer, &R::timer),
      row("progress", &O::progress, &R::progress),
      row("on_deadline", &O::on_deadline, &R::on_deadline),
      row("before_iteration", &O::before_iteration, &R::before_iteration),
      row("after_iteration", &O::after_iteration, &R::after_iteration)};
}

template <typename Use>
void for_each_option(Use&& use) {
  std::apply([&use](const auto&... rows) { (use(rows), ...); }, option_table());
}

}  // namespace contextual::options
