#include "search/config_text.hpp"
#include "search/recording.hpp"

#include <contextual/error.hpp>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>

namespace search_replay {
namespace {

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

/// The lines of a file with fields between semicolons. The first line names the fields.
class Table {
 public:
  explicit Table(const std::filesystem::path& file) : name_(file.string()), stream_(file) {
    if (!next()) {
      throw contextual::InvalidArgument(name_ + " cannot be read");
    }
    width_ = fields.size();
  }

  bool next() {
    std::string line;
    if (!std::getline(stream_, line)) {
      return false;
    }
    fields = split(line, ';');
    ++line_;
    if (width_ != 0 && fields.size() != width_) {
      fail(std::to_string(width_) + " fields are expected");
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw contextual::InvalidArgument(name_ + ":" + std::to_string(line_) + ": " + why);
  }

  std::size_t number(const std::string& text) const {
    try {
      return std::stoul(text);
    } catch (const std::exception&) {
      fail("no number: " + text);
    }
  }

  std::vector<std::int64_t> times_ns(const std::string& text) const {
    std::vector<std::int64_t> times;
    for (const std::string& time_us : split(text, ',')) {
      try {
        times.push_back(std::llround(1000 * std::stod(time_us)));
      } catch (const std::exception&) {
        fail("no time: " + time_us);
      }
    }
    return times;
  }

  std::vector<std::string> fields;

 private:
  std::string name_;
  std::ifstream stream_;
  std::size_t line_ = 0;
  std::size_t width_ = 0;
};

/// The positions of a recording's fields: pass;visit;KERNEL...;status;first_us;makespan_us;KERNEL_us...
struct Columns {
  static constexpr std::size_t pass = 0;
  static constexpr std::size_t first_kernel = 2;

  explicit Columns(const Table& table) {
    const std::size_t names_without_kernels = 5;
    if (table.fields.size() <= names_without_kernels) {
      table.fail("no kernel");
    }
    kernel_count = (table.fields.size() - names_without_kernels) / 2;
    status = first_kernel + kernel_count;
    makespan = status + 2;
    if (makespan + kernel_count + 1 != table.fields.size() || table.fields[status] != "status" ||
        table.fields[makespan] != "makespan_us") {
      table.fail("the names of the fields are not those of a recording");
    }
  }

  std::size_t kernel_count = 0;
  std::size_t status = 0;
  std::size_t makespan = 0;
};

RecordedVisit visit_of(const Table& table, const Columns& columns) {
  RecordedVisit visit;
  visit.pass = table.number(table.fields[Columns::pass]);
  for (std::size_t k = 0; k < columns.kernel_count; ++k) {
    visit.assignment.push_back(table.number(table.fields[Columns::first_kernel + k]));
  }
  if (table.fields[columns.status] != "ok") {
    return visit;
  }
  for (const std::int64_t makespan_ns : table.times_ns(table.fields[columns.makespan])) {
    visit.samples.push_back({makespan_ns, {}});
  }
  for (std::size_t k = 0; k < columns.kernel_count; ++k) {
    const std::vector<std::int64_t> times_ns = table.times_ns(table.fields[columns.makespan + 1 + k]);
    if (times_ns.size() != visit.samples.size()) {
      table.fail("as many times of a kernel as makespans are expected");
    }
    for (std::size_t i = 0; i < times_ns.size(); ++i) {
      visit.samples[i].times_ns.push_back(times_ns[i]);
    }
  }
  return visit;
}

ReplayedProblem read_problem(const std::filesystem::path& configs_file, const std::string& kernel) {
  ReplayedProblem problem{kernel, {}};
  for (Table table(configs_file); table.next();) {
    if (table.fields.at(0) != kernel) {
      continue;
    }
    if (table.number(table.fields.at(1)) != problem.configs.size()) {
      table.fail("the configs of a kernel are to be in order");
    }
    problem.configs.push_back(config_of_text(table.fields.at(2)));
  }
  return problem;
}

}  // namespace

Recording Recording::read(const std::filesystem::path& file) {
  Table table(file);
  const Columns columns(table);
  std::vector<ReplayedProblem> problems;
  for (std::size_t k = 0; k < columns.kernel_count; ++k) {
    problems.push_back(
        read_problem(file.parent_path() / "configs.csv", table.fields[Columns::first_kernel + k]));
  }
  std::vector<RecordedVisit> visits;
  while (table.next()) {
    visits.push_back(visit_of(table, columns));
  }
  return {std::move(problems), visits};
}

}  // namespace search_replay
