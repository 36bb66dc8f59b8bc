#pragma once

/// \file
/// What cuBLASLt needs for one GEMM on one device: handle, descriptors, its algorithms in its own order,
/// workspaces.
///
/// Everything is made for the current device's primary context, kept as long as the process, and found again
/// without a lock.

#include "kernels/cuda/gemm.hpp"

#include <contextual/cuda.hpp>

#include <cublasLt.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace contextual::kernels::cuda {

/// Algorithms asked for; cuBLASLt may have fewer for a problem.
inline constexpr int cublaslt_ranks = 12;

/// What cuBLASLt's choice depends on.
struct CublasLtProblem {
  int m = 0;
  int n = 0;
  int k = 0;
  GemmType type = GemmType::bf16;
  int alignment = 256;  ///< bytes that all pointers are aligned to, 256 at most

  static CublasLtProblem of(const GemmArgs& args);
  bool operator==(const CublasLtProblem&) const = default;
};

/// One problem on one device. C[m, n] = A[m, k] B[n, k]^T in rows is C^T = B A^T in the columns that cuBLASLt
/// counts in: B is its first matrix, transposed.
class CublasLtPlan {
 public:
  /// Asks cuBLASLt for its algorithms: some 100 us on the host. Touches no device memory. Never throws for a
  /// problem that cuBLASLt does not take: then there are no algorithms.
  CublasLtPlan(cublasLtHandle_t handle, const CublasLtProblem& problem);

  const CublasLtProblem& problem() const noexcept { return problem_; }
  int algorithm_count() const noexcept { return static_cast<int>(algorithms_.size()); }
  /// Why there is no algorithm.
  const std::string& complaint() const noexcept { return complaint_; }
  /// Of an algorithm below the count.
  std::size_t workspace_bytes(int algorithm) const { return at(algorithm).workspaceSize; }
  cublasStatus_t launch(cublasLtHandle_t handle, int algorithm, const GemmArgs& args, void* workspace,
                        CUstream stream) const;

  /// Runs an algorithm once, on scratch memory, and waits: its code is loaded by that. On a smaller problem
  /// with the same remainders where this one is large. Does nothing where there is not enough memory, and if
  /// it has been done.
  void load(cublasLtHandle_t handle, int algorithm);

  CublasLtPlan* next = nullptr;  ///< of a list that only grows

 private:
  template <auto destroy>
  struct Destroy {
    template <typename T>
    void operator()(T* handle) const noexcept {
      destroy(handle);
    }
  };
  using Layout =
      std::unique_ptr<std::remove_pointer_t<cublasLtMatrixLayout_t>, Destroy<cublasLtMatrixLayoutDestroy>>;
  using Operation =
      std::unique_ptr<std::remove_pointer_t<cublasLtMatmulDesc_t>, Destroy<cublasLtMatmulDescDestroy>>;
  struct Layouts {
    explicit Layouts(const CublasLtProblem& problem);
    Layout a;
    Layout b;
    Layout c;
  };

  const cublasLtMatmulHeuristicResult_t& at(int algorithm) const {
    return algorithms_[static_cast<std::size_t>(algorithm)];
  }
  static Operation make_operation();
  cublasStatus_t multiply(cublasLtHandle_t handle, int algorithm, const Layouts& layouts,
                          const GemmArgs& args, void* workspace, CUstream stream) const;

  CublasLtProblem problem_;
  Operation operation_;
  Layouts layouts_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
  std::array<bool, cublaslt_ranks> loaded_{};
  std::string complaint_;
};

/// One device. Thread-safe.
class CublasLtDevice {
 public:
  static constexpr std::size_t workspace_bytes = 32U << 20U;
  /// Streams that have a workspace of their own, in the order of their first launch.
  static constexpr std::size_t workspace_count = 4;

  /// The current one. The first call for a device makes handle and workspaces. Throws CudaError.
  static CublasLtDevice& current();

  /// Made by the first call for a problem.
  const CublasLtPlan& plan(const CublasLtProblem& problem) { return find_or_make(problem); }
  cublasStatus_t launch(const CublasLtPlan& plan, int algorithm, const GemmArgs& args, CUstream stream);
  /// Loads this algorithm of every plan made so far.
  void load(int algorithm);
  void load(const CublasLtProblem& problem, int algorithm);

 private:
  struct Workspace {
    std::atomic<CUstream> owner{};
    void* memory = nullptr;
  };

  CublasLtDevice();
  CublasLtPlan& find_or_make(const CublasLtProblem& problem);
  std::atomic<CublasLtPlan*>& bucket_of(const CublasLtProblem& problem);
  void* workspace_of(CUstream stream) noexcept;

  cublasLtHandle_t handle_ = nullptr;
  std::array<Workspace, workspace_count> workspaces_;
  std::array<std::atomic<CublasLtPlan*>, 64> plans_{};
  std::mutex mutex_;    ///< of making plans, which a launch may have to wait for
  std::mutex loading_;  ///< apart from it: loading waits for the device
};

}  // namespace contextual::kernels::cuda
