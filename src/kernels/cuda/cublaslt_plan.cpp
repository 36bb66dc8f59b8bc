#include "kernels/cuda/cublaslt_plan.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/cuda_runtime.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace contextual::kernels::cuda {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw CudaError(std::string(call) + " failed: " + cublasLtGetStatusString(status), status);
  }
}

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // told here
    throw CudaError(std::string(call) + " failed: " + cuda_error_text(code), code);
  }
}

#define CONTEXTUAL_CHECK(call) check(call, #call)

cudaDataType_t data_type(GemmType type) {
  return type == GemmType::bf16 ? CUDA_R_16BF : CUDA_R_16F;
}

/// In an owner of the layout's kind. Rows of a row-major matrix are columns here.
template <typename Layout>
Layout make_layout(GemmType type, int rows, int columns, int pitch) {
  cublasLtMatrixLayout_t layout = nullptr;
  CONTEXTUAL_CHECK(cublasLtMatrixLayoutCreate(&layout, data_type(type), static_cast<std::uint64_t>(columns),
                                              static_cast<std::uint64_t>(rows), pitch));
  return Layout(layout);
}

/// The same remainder by any tile, in less memory.
int reduced(int extent) {
  constexpr int most = 4096;
  constexpr int multiple_of_tiles = 256;
  return extent <= most ? extent : most - multiple_of_tiles + extent % multiple_of_tiles;
}

/// Who has not been given a workspace. No stream has this address.
CUstream nobody() {
  static char address;
  return reinterpret_cast<CUstream>(&address);
}

}  // namespace

CublasLtProblem CublasLtProblem::of(const GemmArgs& args) {
  constexpr std::uintptr_t most = 256;
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(args.a) |
                              reinterpret_cast<std::uintptr_t>(args.b) |
                              reinterpret_cast<std::uintptr_t>(args.c) | most;
  return {.m = args.m,
          .n = args.n,
          .k = args.k,
          .type = args.type,
          .a_pitch = row_pitch(args.a_pitch, args.k),
          .c_pitch = row_pitch(args.c_pitch, args.n),
          .alignment = static_cast<int>(bits & (~bits + 1))};  // the lowest bit set
}

Key CublasLtProblem::key() const {
  return make_key(m, n, k, type_name(type), a_pitch, c_pitch, alignment);
}

CublasLtProblem CublasLtProblem::of(const Key& key) {
  constexpr std::size_t word_count = 7;
  if (key.size() == word_count) {
    const auto number = [&](std::size_t word) { return static_cast<int>(key.word(word)); };
    for (const GemmType type : {GemmType::bf16, GemmType::fp16}) {
      const CublasLtProblem problem{number(0), number(1), number(2), type, number(4), number(5), number(6)};
      if (problem.key() == key) {
        return problem;
      }
    }
  }
  throw InvalidArgument("this is not the key of a product by cuBLASLt");
}

CublasLtPlan::Layouts::Layouts(const CublasLtProblem& problem)
    : a(make_layout<Layout>(problem.type, problem.m, problem.k, problem.a_pitch)),
      b(make_layout<Layout>(problem.type, problem.n, problem.k, problem.k)),
      c(make_layout<Layout>(problem.type, problem.m, problem.n, problem.c_pitch)) {}

CublasLtPlan::Operation CublasLtPlan::make_operation() {
  cublasLtMatmulDesc_t created = nullptr;
  CONTEXTUAL_CHECK(cublasLtMatmulDescCreate(&created, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  Operation operation(created);
  const cublasOperation_t transposed = CUBLAS_OP_T;
  CONTEXTUAL_CHECK(
      cublasLtMatmulDescSetAttribute(created, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)));
  return operation;
}

CublasLtPlan::CublasLtPlan(cublasLtHandle_t handle, const CublasLtProblem& problem)
    : problem_(problem), operation_(make_operation()), layouts_(problem) {
  cublasLtMatmulPreference_t created = nullptr;
  CONTEXTUAL_CHECK(cublasLtMatmulPreferenceCreate(&created));
  const std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>,
                        Destroy<cublasLtMatmulPreferenceDestroy>>
      preference(created);
  const std::size_t workspace = CublasLtDevice::workspace_bytes;
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    CONTEXTUAL_CHECK(cublasLtMatmulPreferenceSetAttribute(created, attribute, &value, sizeof(value)));
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  // Not those that add up parts of a sum in the output's type: an fp16 result is off by a step and more then.
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(attribute, static_cast<std::uint32_t>(problem.alignment));
  }
  std::array<cublasLtMatmulHeuristicResult_t, cublaslt_ranks> results{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, operation_.get(), layouts_.b.get(), layouts_.a.get(), layouts_.c.get(), layouts_.c.get(),
      created, cublaslt_ranks, results.data(), &count);
  if (status == CUBLAS_STATUS_SUCCESS) {
    std::copy_if(results.begin(), results.begin() + count, std::back_inserter(algorithms_),
                 [](const auto& result) { return result.state == CUBLAS_STATUS_SUCCESS; });
  }
  if (algorithms_.empty()) {
    complaint_ =
        std::string("cuBLASLt has no algorithm for this problem: ") + cublasLtGetStatusString(status);
  }
}

cublasStatus_t CublasLtPlan::multiply(cublasLtHandle_t handle, int algorithm, const Layouts& layouts,
                                      const GemmArgs& args, void* workspace, CUstream stream) const {
  const float alpha = 1.0F;
  const float beta = 0.0F;
  const cublasLtMatmulHeuristicResult_t& chosen = at(algorithm);
  return cublasLtMatmul(handle, operation_.get(), &alpha, args.b, layouts.b.get(), args.a, layouts.a.get(),
                        &beta, args.c, layouts.c.get(), args.c, layouts.c.get(), &chosen.algo, workspace,
                        chosen.workspaceSize, stream);
}

std::vector<std::string> CublasLtPlan::meanings() const {
  std::vector<CublasLtAlgorithm> algorithms;
  for (const cublasLtMatmulHeuristicResult_t& result : algorithms_) {
    algorithms.push_back(CublasLtAlgorithm::of(result.algo));
  }
  return different_texts(algorithms);
}

cublasStatus_t CublasLtPlan::launch(cublasLtHandle_t handle, int algorithm, const GemmArgs& args,
                                    void* workspace, CUstream stream) const {
  return multiply(handle, algorithm, layouts_, args, workspace, stream);
}

void CublasLtPlan::load(cublasLtHandle_t handle, int algorithm) {
  bool& loaded = loaded_[static_cast<std::size_t>(algorithm)];
  if (loaded) {
    return;
  }
  CublasLtProblem small{reduced(problem_.m), reduced(problem_.n), reduced(problem_.k), problem_.type};
  small.a_pitch = small.k + reduced(problem_.a_pitch - problem_.k);
  small.c_pitch = small.n + reduced(problem_.c_pitch - problem_.n);
  const auto bytes = [&](int rows, int columns) {
    constexpr std::size_t multiple = 256;
    const std::size_t all = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * 2;
    return (all + multiple - 1) / multiple * multiple;
  };
  const std::size_t of_a = bytes(small.m, small.a_pitch);
  const std::size_t of_b = bytes(small.n, small.k);
  const std::size_t of_c = bytes(small.m, small.c_pitch);
  char* scratch = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&scratch), of_a + of_b + of_c + workspace_bytes(algorithm)) !=
      cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the first launch loads it, then
    return;
  }
  // Whatever lies there: not its result is wanted.
  const GemmArgs args{.a = scratch,
                      .b = scratch + of_a,
                      .c = scratch + of_a + of_b,
                      .m = small.m,
                      .n = small.n,
                      .k = small.k,
                      .type = small.type};
  const cublasStatus_t status =
      multiply(handle, algorithm, Layouts(small), args, scratch + of_a + of_b + of_c, nullptr);
  const cudaError_t finished = cudaStreamSynchronize(nullptr);
  cudaFree(scratch);
  CONTEXTUAL_CHECK(finished);
  static_cast<void>(status);  // one that does not take the smaller problem is loaded by its first launch
  loaded = true;
}

CublasLtDevice::CublasLtDevice() {
  CONTEXTUAL_CHECK(cublasLtCreate(&handle_));
  for (Workspace& workspace : workspaces_) {
    workspace.owner = nobody();
    CONTEXTUAL_CHECK(cudaMalloc(&workspace.memory, workspace_bytes));
  }
}

CublasLtDevice& CublasLtDevice::current() {
  constexpr std::size_t most_devices = 64;
  static std::array<std::atomic<CublasLtDevice*>, most_devices> devices;
  static std::mutex making;
  int index = 0;
  CONTEXTUAL_CHECK(cudaGetDevice(&index));
  std::atomic<CublasLtDevice*>& place = devices.at(static_cast<std::size_t>(index));
  if (CublasLtDevice* known = place.load(std::memory_order_acquire)) [[likely]] {
    return *known;
  }
  const std::lock_guard lock(making);
  if (place.load(std::memory_order_relaxed) == nullptr) {
    // Never destroyed: the process may end with a launch in flight.
    place.store(new CublasLtDevice, std::memory_order_release);
  }
  return *place.load(std::memory_order_relaxed);
}

std::atomic<CublasLtPlan*>& CublasLtDevice::bucket_of(const CublasLtProblem& problem) {
  return plans_[problem.key().hash() % plans_.size()];
}

CublasLtPlan& CublasLtDevice::find_or_make(const CublasLtProblem& problem) {
  std::atomic<CublasLtPlan*>& bucket = bucket_of(problem);
  const auto find = [&]() -> CublasLtPlan* {
    CublasLtPlan* plan = bucket.load(std::memory_order_acquire);
    while (plan != nullptr && plan->problem() != problem) {
      plan = plan->next;
    }
    return plan;
  };
  if (CublasLtPlan* known = find()) [[likely]] {
    return *known;
  }
  const std::lock_guard lock(mutex_);
  CublasLtPlan* plan = find();
  if (plan == nullptr) {
    plan = std::make_unique<CublasLtPlan>(handle_, problem).release();  // launches read it without a lock
    plan->next = bucket.load(std::memory_order_relaxed);
    bucket.store(plan, std::memory_order_release);
  }
  return *plan;
}

void* CublasLtDevice::workspace_of(CUstream stream) noexcept {
  if (stream == cudaStreamPerThread) {
    return nullptr;  // one name for several streams
  }
  for (Workspace& workspace : workspaces_) {
    CUstream owner = workspace.owner.load(std::memory_order_relaxed);
    if (owner == nobody()) {
      workspace.owner.compare_exchange_strong(owner, stream, std::memory_order_relaxed);
      owner = workspace.owner.load(std::memory_order_relaxed);
    }
    if (owner == stream) {
      return workspace.memory;
    }
  }
  return nullptr;
}

cublasStatus_t CublasLtDevice::launch(const CublasLtPlan& plan, int algorithm, const GemmArgs& args,
                                      CUstream stream) {
  const std::size_t bytes = plan.workspace_bytes(algorithm);
  void* workspace = bytes == 0 ? nullptr : workspace_of(stream);
  if (bytes == 0 || workspace != nullptr) [[likely]] {
    return plan.launch(handle_, algorithm, args, workspace, stream);
  }
  if (cudaMallocAsync(&workspace, bytes, stream) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  const cublasStatus_t status = plan.launch(handle_, algorithm, args, workspace, stream);
  cudaFreeAsync(workspace, stream);
  return status;
}

void CublasLtDevice::load(int algorithm) {
  const std::lock_guard lock(loading_);
  for (std::atomic<CublasLtPlan*>& bucket : plans_) {
    for (CublasLtPlan* plan = bucket.load(std::memory_order_acquire); plan != nullptr; plan = plan->next) {
      if (algorithm < plan->algorithm_count()) {
        plan->load(handle_, algorithm);
      }
    }
  }
}

void CublasLtDevice::load(const CublasLtProblem& problem, int algorithm) {
  CublasLtPlan& plan = find_or_make(problem);
  const std::lock_guard lock(loading_);
  if (algorithm < plan.algorithm_count()) {
    plan.load(handle_, algorithm);
  }
}

}  // namespace contextual::kernels::cuda
