#include "search/region_source.hpp"

#include "search/made_up/made_up_region.hpp"
#include "search/recorded_region.hpp"
#include "search/recording.hpp"

namespace search_replay {

RegionSource recorded_source(const std::filesystem::path& file) {
  const auto recording = std::make_shared<const Recording>(Recording::read(file));
  return {file.stem().string(),
          [recording](std::uint64_t seed) { return std::make_unique<RecordedRegion>(recording, seed); }};
}

RegionSource made_up_source(const made_up::Kind& kind) {
  return {std::string(kind.name),
          [&kind](std::uint64_t seed) { return std::make_unique<made_up::MadeUpRegion>(kind, seed); }};
}

}  // namespace search_replay
