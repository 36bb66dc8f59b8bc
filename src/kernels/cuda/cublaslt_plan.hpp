#pragma once

/// \file
/// What cuBLASLt needs for a GEMM on a device: handle, descriptors, its algorithms in its own order, and
/// workspaces.
///
/// Everything belongs to the current device's primary context, lives as long as the process, and is found
/// again without a lock.

#include "kernels/cuda/cublaslt_algorithm.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/key.hpp>

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

/// The number of algorithms asked for. cuBLASLt may have fewer for a problem.
inline constexpr int cublaslt_ranks = 12;

/// The properties of a problem on which cuBLASLt's choice depends.
struct CublasLtProblem {
  int m = 0;
  int n = 0;
  int k = 0;
  GemmType type = GemmType::bf16;
  int a_pitch = 0;  ///< values from row to row, also where A is dense
  int c_pitch = 0;
  int alignment = 256;  ///< of all pointers, in bytes, 256 at most

  static CublasLtProblem of(const GemmArgs& args);
  Key key() const;
  /// Returns the problem with this key. Throws InvalidArgument if it is the key of none.
  static CublasLtProblem of(const Key& key);
  bool operator==(const CublasLtProblem&) const = default;
};

/// One problem on one device. The row-major C[m, n] = A[m, k] B[n, k]^T is C^T = B A^T in cuBLASLt's
/// column-major order, so B is its first matrix, transposed.
class CublasLtPlan {
 public:
  /// Asks cuBLASLt for its algorithms, which takes about 100 us on the host. Touches no device memory. If
  /// cuBLASLt does not take the problem, does not throw but has no algorithms.
  CublasLtPlan(cublasLtHandle_t handle, const CublasLtProblem& problem);

  const CublasLtProblem& problem() const noexcept { return problem_; }
  int algorithm_count() const noexcept { return static_cast<int>(algorithms_.size()); }
  /// Returns what each algorithm is, which finds it again in another list.
  std::vector<std::string> meanings() const;
  /// Returns why there is no algorithm.
  const std::string& complaint() const noexcept { return complaint_; }
  /// `algorithm` must be below the number of algorithms.
  std::size_t workspace_bytes(int algorithm) const { return at(algorithm).workspaceSize; }
  cublasStatus_t launch(cublasLtHandle_t handle, int algorithm, const GemmArgs& args, void* workspace,
                        CUstream stream) const;

  /// Loads an algorithm's code by running it once on scratch memory, for which it waits. If the problem is
  /// large, runs it on a smaller problem with the same remainders. Does nothing if the code is loaded or
  /// memory does not suffice.
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

/// What cuBLASLt needs on one device. Thread-safe.
class CublasLtDevice {
 public:
  static constexpr std::size_t workspace_bytes = 32U << 20U;
  /// The number of streams with a workspace of their own, in the order of their first launch.
  static constexpr std::size_t workspace_count = 4;

  /// Returns the current device. The first call for a device makes the handle and the workspaces. Throws
  /// CudaError.
  static CublasLtDevice& current();

  /// Returns the plan of a problem, which the first call makes.
  const CublasLtPlan& plan(const CublasLtProblem& problem) { return find_or_make(problem); }
  cublasStatus_t launch(const CublasLtPlan& plan, int algorithm, const GemmArgs& args, CUstream stream);
  /// Loads this algorithm for every plan made so far.
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
  std::mutex mutex_;    ///< guards the making of plans; a launch may wait for it
  std::mutex loading_;  ///< guards loading, which waits for the device, so launches must not wait for it
};

/// Returns what only `gemm()` does of what is asked for; empty if cuBLASLt does it all.
std::string beyond_cublaslt(const GemmArgs& args);

/// Throws CudaError, with cuBLASLt's words, if a launch has failed.
void check_cublaslt(cublasStatus_t status);

}  // namespace contextual::kernels::cuda
