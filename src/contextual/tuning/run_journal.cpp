#include "contextual/tuning/run_journal.hpp"

#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/journal/flight_recorder.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/flight_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace contextual::tuning {
namespace {

constexpr const char* strikes_ending = ".strikes";
constexpr const char* flight_ending = ".flight";

/// Equal for runs of which one may go on with the other, as far as rank 0 alone can tell, and for those that
/// differ in `always_tune` alone: what kills a process does so in both.
std::string name_of(const options::ResolvedOptions& options, const std::string& region,
                    std::string_view timer, int rank_count) {
  options::ResolvedOptions alike = options;
  alike.always_tune = false;
  return detail::hex_text(detail::StableHash()
                              .add(std::string_view(region))
                              .add(std::string_view(alike.agreed_text()))
                              .add(timer)
                              .add(static_cast<std::uint64_t>(rank_count))
                              .add(std::string_view(detail::machine_text()))
                              .value());
}

/// The first one of `lines` is the heading.
std::string told_text(const std::string& name, const std::vector<std::string>& lines,
                      const journal::Strikes& strikes) {
  nlohmann::json batches = nlohmann::json::array();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    batches.push_back(lines[i]);
  }
  return nlohmann::json({{"name", name},
                         {"heading", lines.empty() ? std::string() : lines.front()},
                         {"batches", std::move(batches)},
                         {"strikes", strikes.to_text("")}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

detail::TrustedFolder journal_folder(const std::filesystem::path& cache_directory,
                                     const std::string& region) {
  return {cache_directory, std::filesystem::path(storage::journals_folder) / storage::file_name_of(region)};
}

std::string flight_file(const std::string& journal, int rank) {
  return journal + "." + std::to_string(rank) + flight_ending;
}

journal::Safety safety_of(const options::ResolvedOptions& options) {
  return options.journal == Journal::synced ? journal::Safety::from_machine_end
                                            : journal::Safety::from_process_end;
}

namespace {

bool is_of_preparing(const journal::Flight& flight) {
  return !flight.assignments.empty() && tuning::is_of_preparing(flight.assignments.front());
}

/// What ran last where files of these ranks say that something was running. Of ranks in one batch, the others
/// may have waited at its end for one that still made a config ready.
journal::Flight latest_flight(const detail::TrustedFolder& folder, const std::vector<std::string>& files) {
  journal::Flight latest;
  for (const std::string& file : files) {
    journal::Flight flight = journal::FlightRecorder(folder, file).found();
    const bool waited_for = flight.batch == latest.batch && is_of_preparing(flight);
    if (flight.batch > latest.batch || waited_for) {
      latest = std::move(flight);
    }
  }
  return latest;
}

/// The files of each tuning of a region.
std::map<std::string, std::vector<std::string>> flights_by_tuning(const detail::TrustedFolder& folder) {
  std::map<std::string, std::vector<std::string>> flights;
  for (const std::string& file : folder.files(strikes_ending).names) {
    flights[file.substr(0, file.find('.'))];
  }
  for (const std::string& file : folder.files(flight_ending).names) {
    flights[file.substr(0, file.find('.'))].push_back(file);
  }
  return flights;
}

}  // namespace

std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region) {
  const detail::TrustedFolder folder = journal_folder(cache_directory, region);
  std::vector<Quarantined> all;
  for (const auto& [name, flights] : flights_by_tuning(folder)) {
    const std::string text = folder.read(name + strikes_ending).text.value_or("");
    const std::string kernels = journal::Strikes::kernels_in(text);
    auto strikes = journal::Strikes::parse(text, kernels);
    strikes.add(latest_flight(folder, flights).assignments);
    for (std::string& assignment : strikes.quarantined()) {
      all.push_back({kernels, std::move(assignment)});
    }
  }
  return all;
}

RunJournal::RunJournal(const options::ResolvedOptions& options, const std::string& region,
                       std::string_view timer, int rank_count)
    : folder_(journal_folder(options.cache_directory, region)),
      name_(name_of(options, region, timer, rank_count)),
      file_(folder_, name_ + ".journal", safety_of(options)),
      kernels_(agreement::kernels_text()) {
  strikes_ = journal::Strikes::parse(folder_.read(name_ + strikes_ending).text.value_or(""), kernels_);
  if (options.try_quarantined) {
    strikes_.forgive();
  } else {
    strikes_.end_forgiving();
  }
  if (problem().empty()) {  // nobody else writes here
    take_in_deaths(rank_count, file_.lines().empty() ? 0 : file_.lines().size() - 1);
    leave_out_open_comparison();
  }
  throw_if_defaults_kill(region);
}

/// Its samples can only be compared with those of the same process.
void RunJournal::leave_out_open_comparison() {
  std::size_t kept = file_.lines().empty() ? 0 : 1;  // the heading
  for (std::size_t i = kept; i < file_.lines().size(); ++i) {
    const std::optional<journal::BatchRecord> record = journal::parse_record(file_.lines()[i].text);
    if (!record) {
      break;
    }
    kept = record->comparing ? kept : i + 1;
  }
  file_.keep(kept);
}

/// Ranks do not run in step: the one that was ahead has died of what it ran. A batch that is in the journal
/// has gone well, whatever a slow rank says.
void RunJournal::take_in_deaths(int rank_count, std::size_t batch_count) {
  std::vector<std::string> files;
  for (int rank = 0; rank < rank_count; ++rank) {
    const std::string file = flight_file(name_, rank);
    if (folder_.read(file).text) {
      files.push_back(file);
    }
  }
  const journal::Flight latest = latest_flight(folder_, files);
  if (latest.batch > batch_count) {
    strikes_.add(latest.assignments);
  }
  if (save_strikes()) {
    for (const std::string& file : files) {
      journal::FlightRecorder(folder_, file).landed();
    }
  }
}

void RunJournal::throw_if_defaults_kill(const std::string& region) const {
  for (const std::string& assignment : strikes_.quarantined()) {
    if (is_of_defaults(assignment)) {
      throw Error(
          "region \"" + region +
          "\" has twice ended a process or broken a rank while all its kernels used their defaults, so there "
          "is "
          "nothing to fall back to. Option `try_quarantined` runs it again, once; what is known of it is "
          "in " +
          (folder_.path() / (name_ + strikes_ending)).string() + ", which may be removed");
    }
  }
}

/// Returns false if they are not on the disk.
bool RunJournal::save_strikes() const {
  const std::string file = name_ + strikes_ending;
  const std::string failure =
      strikes_.to_be_kept() ? folder_.write(file, strikes_.to_text(kernels_)) : folder_.remove(file);
  if (!failure.empty()) {
    detail::warn_once(failure);
  }
  return failure.empty();
}

void RunJournal::clear(const std::string& assignment) {
  if (strikes_.clear(assignment) && problem().empty()) {
    static_cast<void>(save_strikes());
  }
}

std::string RunJournal::told() const {
  std::vector<std::string> lines;
  for (const journal::ChainedLine& line : file_.lines()) {
    lines.push_back(line.text);
  }
  journal::Strikes strikes = strikes_;
  strikes.end_forgiving();  // the other ranks need not know
  return told_text(problem().empty() ? name_ : std::string(), lines, strikes);
}

std::string RunJournal::told_if_new(const options::ResolvedOptions& options, const std::string& region,
                                    std::string_view timer, int rank_count) {
  return told_text(name_of(options, region, timer, rank_count), {}, {});
}

bool RunJournal::tells_more() const {
  return !problem().empty() || !file_.lines().empty() || !strikes_.empty();
}

void RunJournal::begin(const std::string& heading) {
  if (!file_.lines().empty() && journal::same_run(file_.lines().front().text, heading)) {
    return;
  }
  file_.keep(0);
  file_.append(heading);
}

void RunJournal::end() {
  if (problem().empty()) {
    strikes_.forget_suspects();
    strikes_.end_forgiving();
    static_cast<void>(save_strikes());
    file_.remove();
  }
}

}  // namespace contextual::tuning
