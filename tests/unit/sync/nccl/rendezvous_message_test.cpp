#include "contextual/sync/nccl/rendezvous_message.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

namespace rendezvous_message_test {

using namespace contextual::sync;

TEST_CASE("rendezvous message: a greeting arrives as it was sent, byte for byte the same on every machine",
          "[unit]") {
  const std::string bytes = encode(Greeting{0x0102030405060708, 300, 258});
  REQUIRE(bytes.size() == Greeting::bytes);
  CHECK(bytes.substr(8) ==
        std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x00\x00\x01\x2c\x00\x00\x01\x02", 16));
  const auto greeting = decode_greeting(bytes);
  REQUIRE(greeting);
  CHECK(greeting->job == 0x0102030405060708);
  CHECK(greeting->size == 300);
  CHECK(greeting->rank == 258);
}

TEST_CASE("rendezvous message: what is no greeting is none", "[unit]") {
  const std::string bytes = encode(Greeting{1, 2, 1});
  CHECK_FALSE(decode_greeting(""));
  CHECK_FALSE(decode_greeting(bytes.substr(1)));
  CHECK_FALSE(decode_greeting(bytes + "x"));
  CHECK_FALSE(decode_greeting("GET / HTTP/1.1\r\nHost: x"));
  std::string other = bytes;
  other[7] = '\x7f';  // another version
  CHECK_FALSE(decode_greeting(other));
}

TEST_CASE("rendezvous message: answers arrive as they were sent", "[unit]") {
  const std::string id("a\0b", 3);
  const auto welcome = decode_answer(encode(Answer{Answer::Kind::welcome, id, {}}));
  REQUIRE(welcome);
  CHECK(welcome->kind == Answer::Kind::welcome);
  CHECK(welcome->text == id);
  const auto missing = decode_answer(encode(Answer{Answer::Kind::missing, "", {1, 70'000}}));
  REQUIRE(missing);
  CHECK(missing->kind == Answer::Kind::missing);
  CHECK(missing->missing == std::vector<int>{1, 70'000});
}

TEST_CASE("rendezvous message: no header makes its reader wait for more than there can be", "[unit]") {
  std::string header = encode(Answer{Answer::Kind::refused, "no", {}}).substr(0, Answer::header_bytes);
  CHECK(decode_length(header) == 2);
  header[12] = '\x7f';  // 2 GB follow
  CHECK_FALSE(decode_length(header));
  CHECK_FALSE(decode_length(header.substr(1)));
  std::string unknown = encode(Answer{Answer::Kind::refused, "", {}});
  unknown[11] = '\x09';
  CHECK_FALSE(decode_length(unknown));
  CHECK_FALSE(decode_answer(unknown));
}

TEST_CASE("rendezvous message: more missing ranks than fit are cut, and the rest can be read", "[unit]") {
  const std::vector<int> many(100'000, 5);
  const auto answer = decode_answer(encode(Answer{Answer::Kind::missing, "", many}));
  REQUIRE(answer);
  CHECK(answer->missing.size() == Answer::most_bytes / 4);
}

}  // namespace rendezvous_message_test
