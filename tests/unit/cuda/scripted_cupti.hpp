#pragma once

/// \file
/// A CUPTI that tests script. It watches a ScriptedDriver, calls back around its calls and hands out records
/// in buffers, as the real one does, and stands in for it for as long as it lives.

#include "contextual/cuda/api/cupti.hpp"
#include "unit/cuda/scripted_driver.hpp"

namespace contextual::test::cuda_test {

/// What becomes of a record.
enum class Fate { sound, missing, zero_times, ends_before_it_begins };

/// One at a time. Thread-safe where CUPTI is.
class ScriptedCupti final : public DriverObserver {
 public:
  explicit ScriptedCupti(ScriptedDriver& driver);
  ScriptedCupti(const ScriptedCupti&) = delete;
  ScriptedCupti& operator=(const ScriptedCupti&) = delete;
  ~ScriptedCupti() override;

  // What is scripted.
  CUptiResult subscribe_result = CUPTI_SUCCESS;
  std::function<void()> on_subscribe;                            ///< e.g. blocks; empty: returns at once
  std::function<CUptiResult(CUpti_ActivityKind)> enable_result;  ///< empty: success
  bool application_records = false;                              ///< kernels, by the activity API
  std::function<Fate(const Work&)> fate;                         ///< empty: sound
  std::size_t dropped_at_next_flush = 0;   ///< told when all buffers have been given back
  std::size_t dropped_of_next_buffer = 0;  ///< told with a buffer that is given back
  CUptiResult flush_result = CUPTI_SUCCESS;

  bool subscribed() const;
  std::set<CUpti_ActivityKind> enabled() const;
  /// All buffers that were ever handed in.
  std::set<std::uint8_t*> buffers() const;
  std::size_t buffers_out() const;  ///< that were not given back
  /// Times that a buffer came with something in it although they were said to come zeroed.
  std::size_t dirty_buffers() const;
  bool promised_zeroed() const;  ///< buffers are said to come zeroed
  CallLog& log() noexcept { return driver_.log(); }

  void enter(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context) override;
  void exit(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context,
            CUresult result) override;
  void done(const Work& work) override;

  // For the table's functions.
  static ScriptedCupti& it();
  struct Impl;
  Impl& impl() noexcept { return *impl_; }
  void give_buffers_back();

 private:
  void call_back(CUpti_driver_api_trace_cbid call, const CUpti_CallbackData& data);

  ScriptedDriver& driver_;
  std::unique_ptr<Impl> impl_;
  cuda::Cupti table_;
  std::unique_ptr<cuda::CuptiReplacement> replaced_;
};

}  // namespace contextual::test::cuda_test
