#include "contextual/options/resolved_options.hpp"

#include "contextual/config/utf8_text.hpp"
#include "contextual/options/option_table.hpp"
#include "contextual/policy/options_check.hpp"

#include <contextual/cache_directory.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace contextual {
namespace {

struct DefaultOptions {
  std::mutex mutex;
  Options options;
};

DefaultOptions& default_options() {
  static auto* const options = new DefaultOptions;  // outlives static tuners
  return *options;
}

}  // namespace

void set_default_options(const Options& options) {
  DefaultOptions& defaults = default_options();
  const std::lock_guard lock(defaults.mutex);
  defaults.options = options;
}

namespace options {
namespace {

template <typename T>
const T& value_of(const std::optional<T>& set) {
  return *set;
}
/// Pointers and functions are unset where they are null.
template <typename T>
const T& value_of(const T& set) {
  return set;
}

/// As long as a Deadline can be; sums and finer units of it do not overflow.
void limit(std::chrono::milliseconds& time) {
  constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365 * 50);
  time = std::min(time, longest);
}

/// Of a name: what logs, reports and kept files show must come out of them as it went in.
bool is_text(const std::string& name) {
  return detail::as_kept(name) == name;
}

/// No buffer is larger: a count of elements that is too large has overflowed, or is no count.
constexpr std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();

bool on_one_line(const std::string& name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

constexpr const char* null_pointer_cause =
    "its pointer is null. cudaMalloc leaves it so where there is no GPU; contextual::cuda_problem() says why";

void check_restored(const std::vector<Restored>& buffers) {
  for (const Restored& buffer : buffers) {
    if (!on_one_line(buffer.name) || !is_text(buffer.name)) {
      throw InvalidArgument("option `restore`: the name \"" + buffer.name +
                            "\" is not UTF-8, or has more than one line");
    }
    if (buffer.size_bytes > most_bytes) {
      throw InvalidArgument("option `restore`: buffer \"" + buffer.name + "\" has " +
                            std::to_string(buffer.size_bytes) + " bytes, more than a buffer can have");
    }
    if (buffer.data == nullptr && buffer.size_bytes > 0) {
      throw InvalidArgument("option `restore`: buffer \"" + buffer.name +
                            "\" has bytes, but no data: " + null_pointer_cause);
    }
  }
}

void check_parts(const std::vector<RegionPart>& parts) {
  std::set<std::string_view> names;
  for (const RegionPart& part : parts) {
    if (part.name.empty() || !on_one_line(part.name) || !is_text(part.name) ||
        !names.insert(part.name).second) {
      throw InvalidArgument(
          "option `parts`: \"" + part.name +
          "\" cannot be the name of a part: give every part a name of its own, in UTF-8, on "
          "one line");
    }
    if (!part.call) {
      throw InvalidArgument("option `parts`: part \"" + part.name + "\" has no callable");
    }
  }
}

}  // namespace

ResolvedOptions resolve(const Options& call, const Options& tuner, const ReadEnvironment& environment) {
  Options process;
  {
    const std::lock_guard lock(default_options().mutex);
    process = default_options().options;
  }
  const std::array<const Options*, 3> layers{&call, &tuner, &process};  // the first that sets it wins
  ResolvedOptions options;
  options.cache_directory = cache_directory();
  for_each_option([&](const auto& row) {
    auto& into = at(options, row.resolved);
    for (const Options* layer : layers) {
      if (const auto& set = set_in(*layer, row.option)) {
        into = value_of(set);
        break;
      }
    }
    if (row.environment != nullptr && environment.values.*row.environment) {
      into = value_of(environment.values.*row.environment);
    }
  });
  options.policy.one_assignment_per_batch =
      options.verify || !options.outputs.empty() || options.iterations == Iterations::pipelined;
  if (!options.restore.empty()) {
    options.copies = std::make_shared<measure::BufferCopies>(options.restore);
  }
  options.environment_error = environment.error;
  limit(options.deadline);
  limit(options.grace);
  limit(options.policy.search_time);
  options.communicator_given = options.communicator != nullptr;
  if (!options.communicator_given) {
    options.communicator = one_rank();
  }
  if (!options.timer) {
    options.timer = default_timer();
  }
  return options;
}

Options merged(const Options& call, const Options& under) {
  Options all = under;
  for_each_option([&](const auto& row) {
    if (const auto& set = set_in(call, row.option)) {
      set_in(all, row.option) = set;
    }
  });
  return all;
}

std::uint64_t bits_of_set(const Options& options) {
  static_assert(std::tuple_size_v<decltype(option_table())> <= 64);
  std::uint64_t bits = 0;
  std::uint64_t bit = 1;
  for_each_option([&](const auto& row) {
    bits |= set_in(options, row.option) ? bit : 0;
    bit <<= 1;
  });
  return bits;
}

std::string names_of_set(std::uint64_t bits) {
  std::string names;
  for_each_option([&](const auto& row) {
    if ((bits & 1) != 0) {
      names.append(names.empty() ? "" : ", ").append(row.name);
    }
    bits >>= 1;
  });
  return names;
}

void check_outputs(const std::vector<Output>& outputs, const std::string& whose) {
  std::set<std::string_view> names;
  for (const Output& output : outputs) {
    if (output.name.empty() || !on_one_line(output.name) || !is_text(output.name) ||
        !names.insert(output.name).second) {
      throw InvalidArgument(whose + ": \"" + output.name +
                            "\" cannot be the name of an output: give every output a name of its own, in "
                            "UTF-8, on one line");
    }
    if (output.count > most_bytes / size_of(output.type)) {
      throw InvalidArgument(whose + ": output \"" + output.name + "\" has " + std::to_string(output.count) +
                            " elements, more than a buffer can have");
    }
    if (output.data == nullptr && output.count > 0) {
      throw InvalidArgument(whose + ": output \"" + output.name +
                            "\" has elements, but no data: " + null_pointer_cause);
    }
    for (const std::optional<double>& tolerance : {output.relative, output.absolute}) {
      if (tolerance && !(*tolerance >= 0)) {
        throw InvalidArgument(whose + ": output \"" + output.name +
                              "\" has a tolerance that is not a number from 0 on");
      }
    }
  }
}

void validate(const ResolvedOptions& options) {
  if (!options.environment_error.empty()) {
    throw InvalidArgument(options.environment_error);
  }
  policy::check_options(options.policy);
  check_outputs(options.outputs, "option `outputs`");
  check_restored(options.restore);
  check_parts(options.parts);
  policy::require_at_least("deadline (ms)", options.deadline.count(), 1);
  policy::require_at_least("grace (ms)", options.grace.count(), 0);
}

std::exception_ptr failure_of(const ResolvedOptions& options) {
  try {
    validate(options);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

std::vector<std::string> ResolvedOptions::agreed_items() const {
  std::vector<std::string> items;
  for_each_option([&](const auto& row) {
    if constexpr (Comparable<typename std::remove_cvref_t<decltype(row)>::Value>) {
      if (row.is_agreed) {
        items.push_back(std::string(row.name) + "=" + text_of(at(*this, row.resolved)));
      }
    }
  });
  return items;
}

std::string ResolvedOptions::agreed_text() const {
  std::string text;
  for (const std::string& item : agreed_items()) {
    text += (text.empty() ? "" : " ") + item;
  }
  return text;
}

std::optional<std::string> lone_rank_warning(const ResolvedOptions& options,
                                             const std::optional<detail::LaunchedRank>& launched) {
  if (options.communicator_given || !launched) {
    return std::nullopt;
  }
  return "this program was started as " + std::to_string(launched->size) + " ranks (" +
         launched->size_variable +
         "), but its tuner was given no communicator: every rank tunes alone, and "
         "they may choose differently. Set the option `communicator`, such as to contextual::mpi_world() of "
         "contextual/mpi.hpp, or to contextual::one_rank() if that is meant";
}

}  // namespace options
}  // namespace contextual
