#include "outcome.hpp"

#include "injector.hpp"

#include <contextual/error.hpp>

#include <vector>

namespace faults {
namespace {

nlohmann::json thrown(const char* name, const std::exception& error, const std::vector<int>& ranks = {}) {
  return {{"outcome", name}, {"message", error.what()}, {"ranks", ranks}};
}

}  // namespace

nlohmann::json outcome_of(const std::function<void()>& run) {
  try {
    run();
    return {{"outcome", "ok"}, {"message", ""}, {"ranks", std::vector<int>{}}};
  } catch (const contextual::CommunicationError& error) {
    return thrown("CommunicationError", error, error.missing_ranks());
  } catch (const contextual::RankMismatchError& error) {
    return thrown("RankMismatchError", error, error.differing_ranks());
  } catch (const contextual::RegionFailedError& error) {
    return thrown("RegionFailedError", error, {error.failed_rank()});
  } catch (const contextual::TuningFailedError& error) {
    return thrown("TuningFailedError", error);
  } catch (const contextual::InvalidArgument& error) {
    return thrown("InvalidArgument", error);
  } catch (const contextual::Error& error) {
    return thrown("Error", error);
  } catch (const Injected& error) {
    return thrown("Injected", error);
  } catch (const std::exception& error) {
    return thrown("another exception", error);
  }
}

}  // namespace faults
