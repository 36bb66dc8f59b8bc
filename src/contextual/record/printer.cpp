#include "contextual/record/printer.hpp"

#include "contextual/record/choice_lines.hpp"
#include "contextual/record/log_lines.hpp"
#include "contextual/record/quantities.hpp"
#include "contextual/storage/file_size_signal.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace contextual::record {

using detail::ProblemSlot;

namespace {

constexpr std::string_view sign = "[contextual] ";
constexpr std::size_t line_columns = 120;
constexpr std::int64_t progress_interval_ns = 1'000'000'000;
constexpr std::int64_t long_tuning_ns = 2'000'000'000;  ///< so long a person waits without asking why

/// The sign before every line, and several lines where one would be too long.
std::string signed_lines(const std::string& text) {
  std::string block;
  std::istringstream lines(wrapped(text, line_columns - sign.size()));
  for (std::string line; std::getline(lines, line);) {
    block += (block.empty() ? "" : "\n") + std::string(sign) + one_line(line);
  }
  return block;
}

}  // namespace

void Printer::warning(const std::string& text) const {
  if (level_ >= Print::choices) {
    write_(signed_lines(one_line(region_ + ": warning: " + text)));
  }
}

void Printer::remark(const std::string& text) const {
  if (level_ == Print::configs) {
    warning(text);
  }
}

bool Printer::shows_progress(const Progress& progress) const {
  return level_ >= Print::choices ||
         (level_ == Print::long_tunings && on_terminal_ && progress.elapsed_ns > long_tuning_ns);
}

void Printer::progress(const Progress& progress) {
  const bool due = !told_ || told_->phase != progress.phase ||
                   progress.elapsed_ns - told_->elapsed_ns >= progress_interval_ns;
  if (!shows_progress(progress) || !due) {
    return;
  }
  told_ = progress;
  std::string text = std::string(sign) + region_ + ": " + std::string(to_string(progress.phase)) + " " +
                     std::to_string(progress.iterations_done) + " of at most " +
                     std::to_string(progress.iterations_expected) + " | " +
                     counted(static_cast<std::size_t>(progress.problem_count), "problem") + " | " +
                     format_duration(progress.elapsed_ns);
  if (progress.estimated_left_ns) {
    text += ", at most " + format_duration(*progress.estimated_left_ns) + " left";
  }
  write_(one_line(text));
}

void Printer::chosen(const ProblemSlot& slot) {
  any_choice_ = tuned_ = true;
  const auto& members = slot.found.members;
  if (std::any_of(members.begin(), members.end(), [](const auto& of) { return of->traits().has_check; })) {
    any_check_ = true;
  } else {
    unchecked_.insert(slot.problem.name);
  }
}

void Printer::end(const RegionReport& report, bool checked) const {
  if (level_ < Print::choices || !any_choice_) {
    return;
  }
  const Detail detail = level_ == Print::configs ? Detail::configs : Detail::choices;
  std::string block = std::string(sign) + one_line(region_) + ": choices\n" +
                      signed_lines(report.to_string(detail, line_columns - sign.size()));
  if (tuned_ && !checked && !unchecked_.empty()) {
    std::string of;
    for (const std::string& kernel : unchecked_) {
      of += (of.empty() ? " of " : ", ") + kernel;
    }
    block += "\n" + signed_lines(one_line(region_ + ": no results" + (any_check_ ? of : "") +
                                          " were checked: option `outputs` is not given" +
                                          (any_check_ ? ", nor a `check`" : "")));
  }
  write_(block);
}

void Printer::failed(const TuningFailedError& error) const {
  if (level_ >= Print::choices) {
    const std::string text = error.what();
    write_(signed_lines(one_line(text.substr(0, text.find('\n')))));
  }
}

std::string call_lines(const std::string& name, const std::string& key, const std::string& use) {
  return signed_lines(one_line(name + ": " + key + ": " + use));
}

void print_to_stderr(const std::string& lines) {
  const storage::FileSizeSignalBlock blocked;
  std::fprintf(stderr, "%s\n", lines.c_str());  // one call, so that other threads' lines are not among them
}

}  // namespace contextual::record
