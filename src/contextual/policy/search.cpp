#include "contextual/policy/search/joint_search.hpp"

#include <contextual/search.hpp>

namespace contextual {

Search::~Search() = default;

std::unique_ptr<Search> joint_search(const SearchRequest& request) {
  return std::make_unique<policy::search::JointSearch>(request);
}

}  // namespace contextual
