#include "gpu/faults/layer_under_fault.hpp"

#include "gpu/gathered_experts.hpp"
#include "gpu/gathered_problem.hpp"
#include "gpu/reduced_experts.hpp"
#include "gpu/reduced_problem.hpp"

namespace contextual::test::gpu_test {
namespace {

using namespace kernels::cuda;
using Workspace = std::shared_ptr<PeerWorkspace>;

constexpr int sets = 2;  // of a product's data
constexpr AllGatherGemmShape gather_shape{600, 264, 136, GemmType::fp16};
constexpr GemmReduceScatterShape scatter_shape{600, 264, 136, GemmType::fp16};
constexpr GemmReduceScatterShape split_shape{100, 264, 136, GemmType::fp16, true};
constexpr int by_one_shot = layers_under_fault - 1;
constexpr AllGatherMoeShape gather_experts_shape{300, 264, 136, 5, 2, GemmType::fp16};
constexpr MoeReduceScatterShape reduce_experts_shape{300, 264, 136, 5, 2, GemmType::fp16};

ExpertIds ids() {
  return ExpertIds::random(gather_experts_shape.m, gather_experts_shape.top_k, gather_experts_shape.experts,
                           7, 9);
}

class Gather final : public LayerUnderFault {
 public:
  Gather(const Rank& rank, const Workspace& workspace)
      : layer_(workspace, gather_shape), problem_(rank, gather_shape, sets) {}

  void call(cudaStream_t stream, int run) override {
    layer_(stream, {problem_.a_rows(run % sets)}, {problem_.b(), problem_.c()});
    problem_.check_later(stream, run % sets);
  }
  bool looks_in_stream() const override { return true; }
  std::size_t wrong() override { return problem_.wrong(); }

 private:
  AllGatherGemm layer_;
  GatheredProblem problem_;
};

class Reduce final : public LayerUnderFault {
 public:
  Reduce(const Rank& rank, const Workspace& workspace, const GemmReduceScatterShape& shape)
      : ranks_(rank.count), layer_(workspace, shape), problem_(rank, shape, sets) {}

  void call(cudaStream_t stream, int run) override {
    last_set_ = run % sets;
    layer_(stream, {.a = problem_.a(last_set_), .b = problem_.b(last_set_), .c_rows = problem_.c()});
  }
  std::size_t wrong() override { return problem_.wrong(last_set_, ranks_); }

 private:
  int ranks_;
  GemmReduceScatter layer_;
  ReducedProblem problem_;
  int last_set_ = 0;
};

class GatherExperts final : public LayerUnderFault {
 public:
  GatherExperts(const Rank& rank, const Workspace& workspace)
      : layer_(workspace, gather_experts_shape), problem_(rank, gather_experts_shape, 5) {
    problem_.route(ids(), nullptr);
  }

  void call(cudaStream_t stream, int /*run*/) override {
    problem_.prepare(stream);
    layer_(stream, problem_.own_rows(), problem_.product(false));
  }
  std::size_t wrong() override { return problem_.wrong(false); }

 private:
  AllGatherMoe layer_;
  GatheredExperts problem_;
};

class ReduceExperts final : public LayerUnderFault {
 public:
  ReduceExperts(const Rank& rank, const Workspace& workspace)
      : layer_(workspace, reduce_experts_shape), problem_(rank, reduce_experts_shape) {
    problem_.choose(ids());
  }

  void call(cudaStream_t stream, int /*run*/) override {
    problem_.prepare(stream);
    layer_(stream, problem_.call());
  }
  std::size_t wrong() override { return problem_.wrong(); }

 private:
  MoeReduceScatter layer_;
  ReducedExperts problem_;
};

}  // namespace

std::size_t workspace_bytes_under_fault(int ranks) {
  return std::max({AllGatherGemm::workspace_bytes(gather_shape),
                   GemmReduceScatter::workspace_bytes(scatter_shape, ranks),
                   GemmReduceScatter::workspace_bytes(split_shape, ranks),
                   AllGatherMoe::workspace_bytes(gather_experts_shape),
                   MoeReduceScatter::workspace_bytes(reduce_experts_shape, ranks)});
}

const char* way_under_fault(int index) {
  return index == by_one_shot ? "one_shot" : nullptr;
}

std::unique_ptr<LayerUnderFault> make_layer_under_fault(int index, const Rank& rank,
                                                        const Workspace& workspace) {
  switch (index) {
    case 0:
      return std::make_unique<Gather>(rank, workspace);
    case 1:
    case by_one_shot:
      return std::make_unique<Reduce>(rank, workspace, scatter_shape);
    case 2:
      return std::make_unique<Reduce>(rank, workspace, split_shape);
    case 3:
      return std::make_unique<GatherExperts>(rank, workspace);
    default:
      return std::make_unique<ReduceExperts>(rank, workspace);
  }
}

}  // namespace contextual::test::gpu_test
