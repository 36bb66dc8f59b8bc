#pragma once

/// \file
/// What is kept of a tuned region: one config for each of its problems, chosen together, and how the choices
/// of a run come beside those that are kept. Pure.

#include <contextual/choices.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/key.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::storage {

/// A kernel whose launches a choice is for, and what it looked like then.
struct ChosenKernel {
  std::string name;
  std::uint64_t table_digest = 0;  ///< of its config space and code, see KernelCore::table_digest
  std::string origin{};            ///< for people: its version, or the module that defines it
  /// Equal files have one origin, whatever their names are.
  bool operator==(const ChosenKernel& other) const {
    return name == other.name && table_digest == other.table_digest;
  }
};

/// The config of one problem.
struct KeptChoice {
  std::string kernel;    ///< or the coupling
  std::string coupling;  ///< empty if the kernel is not coupled
  Key key;
  std::string key_text;                ///< for people
  std::uint64_t scope = 0;             ///< the alternatives around its launches
  std::vector<ChosenKernel> launched;  ///< one; several if coupled
  std::size_t config_count = 1;
  std::size_t config_id = 0;
  std::string config;  ///< for people, as JSON
  std::string reason;
  std::optional<std::int64_t> time_ns{};         ///< median of its own times in the walk
  std::optional<std::int64_t> time_spread_ns{};  ///< of these, as in TimeSummary
  std::vector<std::size_t> ranks{};              ///< those that it is for, in order; empty: all
  /// The run that is being kept has found the choice and has not measured it. Not written.
  bool reused = false;
  /// The config's id in this process, where its `meaning` has another one. Not written.
  std::optional<std::size_t> id_now{};
  /// The runs of the set that have used it, in order. What one run has used was chosen together.
  std::vector<std::size_t> runs = {0};
  SearchLevel search = SearchLevel::off;  ///< that was asked for
  std::vector<std::string> outputs{};     ///< names of Options::outputs, which it was shown to write right
  /// What the config is, where its id does not say it: see detail::MeaningsOfConfigs. It then counts, and not
  /// the id.
  std::string meaning{};
  bool operator==(const KeptChoice&) const = default;
};

/// Choices of one run or several that agree with one another, as they are kept.
struct ChoiceSet {
  std::string region;
  std::string written;                        ///< when the newest one was made, in UTC
  std::vector<detail::Machine> machines;      ///< by rank
  std::optional<std::int64_t> makespan_ns{};  ///< of the run that has made the newest ones
  std::vector<KeptChoice> choices{};
  std::optional<std::int64_t> makespan_spread_ns{};  ///< as in TimeSummary
  std::vector<KeptInfeasible> infeasible{};          ///< at most `most_infeasible`
  /// See pins_digest: what was pinned beside the choices in their region. They count only while it is.
  std::string beside_pins{};
  /// `pins` is the digest of what is pinned now.
  bool counts_beside(const std::string& pins) const { return beside_pins.empty() || beside_pins == pins; }
  bool operator==(const ChoiceSet&) const = default;
};

inline constexpr std::size_t most_infeasible = 64;

/// The digest of a choice's problem: the same for all configs of it, however its kernels look.
std::uint64_t problem_digest(const KeptChoice& choice);
/// The digest of the kernels of a choice as they looked, in whatever order.
std::uint64_t kernels_digest(const KeptChoice& choice);
/// The digest of a choice's problem, its kernels as they looked, and its config.
std::uint64_t choice_digest(const KeptChoice& choice);

/// Returns the highest search that has found one of the choices.
SearchLevel search_of(const ChoiceSet& entry);

/// Returns the entry as JSON without line breaks, with a digest of its content.
std::string to_json(const ChoiceSet& entry);
/// Accepts only what `to_json` has returned. Throws std::runtime_error, or nlohmann's exceptions.
ChoiceSet entry_of(std::string_view text);

/// Returns what names the entry: the digest of its content.
std::string id_of(const ChoiceSet& entry);

/// What counts where new choices are made.
struct Present {
  std::vector<detail::Machine> machines;  ///< by rank, with all parts
  std::string pins{};                     ///< see pins_digest
  std::set<std::string> refused{};        ///< the ids of sets that some rank could not use
};

/// The most sets of one kind of machine beside a newer one: of other programs, builds and versions, each of
/// which leaves one.
inline constexpr std::size_t most_beside = 16;

/// Puts a set in front, which a run has chosen. It takes in what older sets that count have chosen for other
/// problems, unless that was chosen beside something that it has chosen otherwise. Sets of other machines,
/// and of other builds of its kernels, stay behind it. `shipped` are taken in, too. A choice that was reused
/// gets what is known of it from the set that it is from.
void add_newest(std::vector<ChoiceSet>& sets, ChoiceSet entry, const Present& now,
                const std::vector<ChoiceSet>& shipped);

/// Adds a set between newer and older ones. Returns false if newer ones leave nothing of it.
bool add_by_age(std::vector<ChoiceSet>& sets, const ChoiceSet& entry);

}  // namespace contextual::storage
