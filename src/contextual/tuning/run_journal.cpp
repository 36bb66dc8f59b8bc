#include "contextual/tuning/run_journal.hpp"

#include "contextual/journal/flight_recorder.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/flight_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <optional>
#include <utility>

namespace contextual::tuning {
namespace {

constexpr const char* strikes_ending = ".strikes";

/// Equal for runs of which one may go on with the other, as far as rank 0 alone can tell.
std::string name_of(const options::ResolvedOptions& options, const std::string& region,
                    std::string_view timer, int rank_count) {
  return detail::hex_text(detail::StableHash()
                              .add(std::string_view(region))
                              .add(std::string_view(options.agreed_text()))
                              .add(timer)
                              .add(static_cast<std::uint64_t>(rank_count))
                              .add(std::string_view(detail::machine_text()))
                              .value());
}

}  // namespace

detail::TrustedFolder journal_folder(const std::filesystem::path& cache_directory,
                                     const std::string& region) {
  return {cache_directory, "journal/" + storage::file_name_of(region)};
}

std::string flight_file(const std::string& journal, int rank) {
  return journal + "." + std::to_string(rank) + ".flight";
}

RunJournal::RunJournal(const options::ResolvedOptions& options, const std::string& region,
                       std::string_view timer, int rank_count)
    : folder_(journal_folder(options.cache_directory, region)),
      name_(name_of(options, region, timer, rank_count)),
      file_(folder_, name_ + ".journal",
            options.journal == Journal::synced ? journal::Safety::from_machine_end
                                               : journal::Safety::from_process_end) {
  if (!problem().empty()) {
    return;
  }
  leave_out_open_comparison();
  if (!options.try_quarantined) {
    strikes_ = journal::Strikes::parse(folder_.read(name_ + strikes_ending).text.value_or(""));
  }
  take_in_deaths(rank_count);
  save_strikes();
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

/// Ranks do not run in step: the one that was ahead has died of what it ran.
void RunJournal::take_in_deaths(int rank_count) {
  journal::Flight latest;
  for (int rank = 0; rank < rank_count; ++rank) {
    const std::string file = flight_file(name_, rank);
    if (folder_.read(file).text) {
      journal::Flight flight = journal::FlightRecorder(folder_, file).take_found();
      if (flight.batch > latest.batch) {
        latest = std::move(flight);
      }
    }
  }
  strikes_.add(latest.assignments);
}

void RunJournal::throw_if_defaults_kill(const std::string& region) const {
  for (const std::string& assignment : strikes_.quarantined()) {
    if (is_of_defaults(assignment)) {
      throw Error(
          "region \"" + region +
          "\" has ended the process twice while all its kernels used their defaults, so there is "
          "nothing to fall back to. Option `try_quarantined` runs it again; what is known of it is in " +
          (folder_.path() / (name_ + strikes_ending)).string());
    }
  }
}

void RunJournal::save_strikes() {
  const std::string file = name_ + strikes_ending;
  if (strikes_.empty()) {
    ::unlink((folder_.path() / file).c_str());
  } else {
    folder_.write(file, strikes_.to_text());
  }
}

std::string RunJournal::told() const {
  nlohmann::json batches = nlohmann::json::array();
  for (std::size_t i = 1; i < file_.lines().size(); ++i) {
    batches.push_back(file_.lines()[i].text);
  }
  return nlohmann::json({{"name", name_},
                         {"heading", file_.lines().empty() ? std::string() : file_.lines().front().text},
                         {"batches", std::move(batches)},
                         {"strikes", strikes_.to_text()}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void RunJournal::begin(const std::string& heading) {
  if (!file_.lines().empty() && file_.lines().front().text == heading) {
    return;
  }
  file_.keep(0);
  file_.append(heading);
}

void RunJournal::end() {
  strikes_.forget_suspects();
  save_strikes();
  file_.remove();
}

}  // namespace contextual::tuning
