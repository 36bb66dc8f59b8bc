#include "contextual/sync/nccl/rendezvous_place.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

namespace contextual::test::rendezvous_place_test {

using namespace sync;
using detail::LaunchedRank;
using detail::Launcher;

namespace {

using Environment = std::map<std::string, std::string>;

RendezvousPlace place_in(const Environment& environment, Launcher launcher, int size = 8) {
  return rendezvous_place(LaunchedRank{1, size, "SIZE", launcher}, [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("rendezvous place: rank 0 is where the launcher says") {
  CHECK(place_in({{"MASTER_ADDR", "node-7"}, {"LOCAL_WORLD_SIZE", "4"}}, Launcher::torchrun).host ==
        "node-7");
  CHECK(
      place_in({{"SLURM_STEP_NODELIST", "n[003-004]"}, {"SLURM_JOB_NODELIST", "n[001-009]"}}, Launcher::slurm)
          .host == "n003");
  CHECK(place_in({{"SLURM_JOB_NODELIST", "n[001-009]"}}, Launcher::slurm).host == "n001");
  CHECK(place_in({{"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.4"}}, Launcher::slurm).host == "10.0.0.4");
}

TEST_CASE("rendezvous place: ranks of one node meet on the loopback address") {
  CHECK(place_in({{"LOCAL_WORLD_SIZE", "8"}, {"MASTER_ADDR", "node-7"}}, Launcher::torchrun).host ==
        "127.0.0.1");
  CHECK(place_in({{"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}, Launcher::open_mpi).host == "127.0.0.1");
  CHECK(place_in({{"MPI_LOCALNRANKS", "8"}}, Launcher::mpich).host == "127.0.0.1");
  CHECK(place_in({{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_NNODES", "4"}, {"SLURM_JOB_NODELIST", "n[1-4]"}},
                 Launcher::slurm)
            .host == "127.0.0.1");
}

TEST_CASE("rendezvous place: a host and a port that are given come before what the launcher says") {
  const RendezvousPlace place = place_in({{"CONTEXTUAL_RENDEZVOUS_HOST", "node-3"},
                                          {"CONTEXTUAL_RENDEZVOUS_PORT", "4711"},
                                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}},
                                         Launcher::open_mpi);
  CHECK(place.host == "node-3");
  CHECK(place.port == 4711);
}

TEST_CASE(
    "rendezvous place: mpirun on several nodes does not say where rank 0 is, and the error says what to do") {
  const std::string text = error_text<InvalidArgument>([] {
    place_in({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, {"MASTER_PORT", "1"}}, Launcher::open_mpi);
  });
  CHECK_THAT(text, ContainsSubstring("CONTEXTUAL_RENDEZVOUS_HOST"));
}

TEST_CASE("rendezvous place: the port is one of its own, and never the launcher's") {
  Environment environment{{"MASTER_ADDR", "node-7"}, {"MASTER_PORT", "29500"}};
  CHECK(place_in(environment, Launcher::torchrun).port == default_rendezvous_port);
  environment["CONTEXTUAL_RENDEZVOUS_PORT"] = "29500";
  CHECK_THAT(error_text<InvalidArgument>([&] { place_in(environment, Launcher::torchrun); }),
             ContainsSubstring("MASTER_PORT"));
  environment["CONTEXTUAL_RENDEZVOUS_PORT"] = "29501";
  CHECK(place_in(environment, Launcher::torchrun).port == 29501);
}

TEST_CASE("rendezvous place: what is no port is refused, and an empty variable is none") {
  for (const char* const text : {"0", "65536", "-1", "http", "80x", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(
        place_in({{"MASTER_ADDR", "a"}, {"CONTEXTUAL_RENDEZVOUS_PORT", text}}, Launcher::torchrun),
        InvalidArgument);
  }
  CHECK(place_in({{"MASTER_ADDR", "a"}, {"CONTEXTUAL_RENDEZVOUS_PORT", ""}}, Launcher::torchrun).port ==
        default_rendezvous_port);
}

TEST_CASE("rendezvous place: jobs differ where the launcher tells them apart, ranks of one job do not") {
  const Environment first{{"SLURM_JOB_ID", "17"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NNODES", "1"}};
  Environment other_rank = first;
  other_rank["SLURM_PROCID"] = "3";
  Environment other_step = first;
  other_step["SLURM_STEP_ID"] = "1";
  Environment shifted{{"SLURM_JOB_ID", ""}, {"SLURM_STEP_ID", "17"}, {"SLURM_NNODES", "1"}};
  const auto job = [](const Environment& environment) { return place_in(environment, Launcher::slurm).job; };
  CHECK(job(first) == job(other_rank));
  CHECK(job(first) != job(other_step));
  CHECK(job(first) != job(shifted));
}

TEST_CASE("rendezvous place: the first host of Slurm's lists") {
  CHECK(first_host("node7") == "node7");
  CHECK(first_host("node7,node9") == "node7");
  CHECK(first_host("node[003-007,012],login") == "node003");
  CHECK(first_host("node[12]") == "node12");
  CHECK(first_host("rack[2-3]n[05,07]-ib,x") == "rack2n05-ib");
  CHECK(first_host("").empty());
  CHECK(first_host("node[1").empty());
  std::string many = "node[1";
  for (int node = 3; node < 50'000; node += 2) {
    many += "," + std::to_string(node);
  }
  CHECK(first_host(many + "]") == "node1");
}

}  // namespace contextual::test::rendezvous_place_test
