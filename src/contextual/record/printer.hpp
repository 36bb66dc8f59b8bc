#pragma once

/// \file
/// What a run prints to stderr.

#include "contextual/record/make_events.hpp"

#include <contextual/error.hpp>
#include <contextual/options.hpp>
#include <contextual/report.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace contextual::record {

/// The thread of `run` uses it, outside of the region.
class Printer {
 public:
  /// Gets one or more lines that belong together. The last one has no line end.
  using Write = std::function<void(const std::string&)>;

  Printer(Print level, std::string region, Write write, bool on_terminal = false)
      : level_(level), on_terminal_(on_terminal), region_(std::move(region)), write_(std::move(write)) {}

  void warning(const std::string& text) const;
  /// Prints it where every config is printed.
  void remark(const std::string& text) const;
  /// Prints the progress where a phase begins, and else once a second at most.
  void progress(const Progress& progress);
  /// The problem has its choice.
  void chosen(const detail::ProblemSlot& slot);

  /// The run has made no choice, but begins with some of an earlier process.
  void note_kept() { any_choice_ = true; }
  /// Prints the choices below the region's name, if this run has made or taken over some, and, if it has made
  /// some, whose results nothing has checked, neither the region's options (`checked`) nor `check`. All at
  /// once, so that the lines of two tuners on two threads are not mixed.
  void end(const RegionReport& report, bool checked) const;
  /// Prints what no config was left of, without the reasons.
  void failed(const TuningFailedError& error) const;

 private:
  bool shows_progress(const Progress& progress) const;

  Print level_;
  bool on_terminal_;
  std::string region_;
  Write write_;
  bool any_choice_ = false;
  bool tuned_ = false;
  bool any_check_ = false;             ///< a kernel with a choice checks its results
  std::set<std::string> unchecked_{};  ///< the others
  std::optional<Progress> told_;       ///< the progress that was printed last
};

/// Returns a line on a call outside of a run, or several where one would be too long: what it is a call of,
/// its key, and `use`, which says what it uses.
std::string call_lines(const std::string& name, const std::string& key, const std::string& use);

/// Writes lines to stderr, the last one without its line end.
void print_to_stderr(const std::string& lines);

}  // namespace contextual::record
