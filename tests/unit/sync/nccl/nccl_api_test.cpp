#include "contextual/sync/nccl/own_nccl.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "unit/sync/nccl/scripted_nccl.hpp"

#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/nccl.hpp>

#include <climits>

namespace contextual::test::nccl_test::nccl_api_test {

using namespace sync;

namespace {

template <int Version>
ncclResult_t says(int* version) {
  *version = Version;
  return ncclSuccess;
}

std::string problem_of(ncclResult_t (*version)(int*)) {
  Nccl table;
  table.ncclGetVersion = version;
  return start_nccl(table);
}

Nccl of_version(int version) {
  return {.version = version};
}

}  // namespace

TEST_CASE("NCCL: a version is said as NCCL numbers it, before and after 2.9") {
  CHECK(version_text(22803) == "2.28.3");
  CHECK(version_text(21400) == "2.14.0");
  CHECK(version_text(2804) == "2.8.4");
}

TEST_CASE("NCCL: a version without communicators that do not block is refused, by name") {
  CHECK(problem_of(says<22803>).empty());
  CHECK(problem_of(says<21400>).empty());
  CHECK(problem_of(says<21304>) == "NCCL 2.13.4 is too old: communicators that do not block need 2.14.0");
  CHECK_THAT(problem_of(says<2804>), ContainsSubstring("NCCL 2.8.4 is too old"));
  CHECK(detail::this_machine().at("nccl") == "2.14.0");
  CHECK_FALSE(problem_of(nullptr).empty());
  CHECK_FALSE(problem_of([](int*) { return ncclInternalError; }).empty());
}

TEST_CASE("NCCL: what a version does not know is left as it is") {
  const ncclConfig_t oldest = own_config(of_version(21400));
  CHECK(oldest.blocking == 0);
  CHECK(oldest.maxCTAs == NCCL_CONFIG_UNDEF_INT);
  CHECK(oldest.commName == nullptr);
  const ncclConfig_t middle = own_config(of_version(21805));
  CHECK(middle.minCTAs == 1);
  CHECK(middle.maxCTAs == 1);
  CHECK(middle.commName == nullptr);
  CHECK(own_config(of_version(22700)).commName != nullptr);
}

TEST_CASE("NCCL: a failing call is an error with the call and NCCL's words") {
  const ScriptedNccl scripted;
  const std::string text =
      error_text<CommunicationError>([] { check_nccl(ncclRemoteError, "ncclSomething"); });
  CHECK(text == "NCCL: ncclSomething failed: remote process exited (6)");
  CHECK_NOTHROW(check_nccl(ncclSuccess, "ncclSomething"));
}

TEST_CASE("NCCL: a function that only newer versions have may be missing") {
  const ScriptedNccl scripted;
  Nccl older = nccl();
  older.ncclGetLastError = nullptr;
  const NcclReplacement replaced(older);
  CHECK(sync::error_text(ncclSystemError, reinterpret_cast<ncclComm_t>(&older)) == "scripted error (2)");
}

TEST_CASE("launch_status: an NCCL call that succeeded or is in progress is no failure, any other is") {
  const ScriptedNccl scripted;
  CHECK_FALSE(launch_failure(ncclSuccess));
  CHECK_FALSE(launch_failure(ncclInProgress));
  for (const ncclResult_t code : {ncclUnhandledCudaError, ncclSystemError, ncclInternalError,
                                  ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError}) {
    CHECK(launch_failure(code));
  }
  CHECK(launch_failure(ncclRemoteError) == "remote process exited (6)");
  CHECK_FALSE(device_failure(ncclUnhandledCudaError));
}

}  // namespace contextual::test::nccl_test::nccl_api_test
