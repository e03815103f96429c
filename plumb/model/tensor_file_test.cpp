#include "plumb/model/tensor_file.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fuzz/tensor_file_forgery.h"
#include "plumb/model/memory_test.h"

namespace plumb::tensor_file_test {
namespace {

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

const std::vector<double> weights = {0.5, -1.25, 3.0, 1e-300, -0.0, 7.0};
const std::vector<std::uint8_t> letters = {'a', 'b', 'c'};
const std::vector<std::uint32_t> counts = {1, 2};

std::string small_file() {
  const std::vector<Tensor> tensors = {{"letters", TensorType::u8, {3}, bytes(letters)},
                                       {"weights", TensorType::f64, {2, 3}, bytes(weights)},
                                       {"counts", TensorType::u32, {2}, bytes(counts)}};
  return write_tensor_file(R"({"schema":"test"})", tensors);
}

TensorFile parse(std::string file) { return TensorFile::parse(std::move(file), {.file = "model.plumb"}); }

// The message with which a file is refused; empty if it is accepted.
std::string refusal(std::string file) {
  try {
    parse(std::move(file));
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_EQ(error.place().file, "model.plumb");
    EXPECT_FALSE(error.message().empty() || error.hint().empty());
    return error.message();
  }
}

std::string rewritten(const TensorFile& file) { return write_tensor_file(file.plumb(), file.tensors()); }

// A header with these entries after the metadata, and space for the checksums of that many tensors.
std::string header_with(const std::string& entries, const std::string& plumb = "{}") {
  const std::size_t count = claimed_offsets(entries).size();
  const std::string room(count == 0 ? 0 : 17 * count - 1, '0');
  return R"({"__metadata__":{"digest":"0000000000000000","plumb":")" + plumb + R"(","xxh3":")" + room + "\"}" +
         (entries.empty() ? "" : "," + entries) + "}";
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
}

void expect_refused(const std::string& file, std::string_view part_of_message) {
  memory.largest = 0;
  memory.most_live = memory.live.load();
  const std::size_t before = memory.live;
  std::string copy = file;
  const std::string message = refusal(std::move(copy));
  EXPECT_NE(message.find(part_of_message), std::string::npos) << "message: " << message;
  EXPECT_FALSE(message.empty());
  EXPECT_LE(memory.largest.load(), 2 * file.size() + (1u << 20)) << message;
  EXPECT_LE(memory.most_live - before, 5 * file.size() + (1u << 20)) << message;
}

TEST(TensorFile, GivesBackWhatWasWritten) {
  const TensorFile file = parse(small_file());
  EXPECT_EQ(file.plumb(), R"({"schema":"test"})");
  EXPECT_EQ(file.place().file, "model.plumb");
  const auto found = file.f64("weights");
  ASSERT_EQ(found.size(), weights.size());
  EXPECT_EQ(std::memcmp(found.data(), weights.data(), found.size_bytes()), 0);
  EXPECT_EQ(file.find("weights")->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(std::ranges::equal(file.u8("letters"), letters));
  EXPECT_TRUE(std::ranges::equal(file.u32("counts"), counts));
  for (const char* name : {"", "a", "weight", "weights ", "x"}) EXPECT_EQ(file.find(name), nullptr);
  EXPECT_EQ(rewritten(file), small_file());
}

// The same bytes as the example in docs/model_file.md.
TEST(TensorFile, IsWrittenAsDocumented) {
  const std::vector<double> w = {0.5, -1.0};
  const std::vector<std::uint8_t> labels = {'n', 'o', 'y', 'e', 's'};
  const std::vector<Tensor> tensors = {{"labels", TensorType::u8, {5}, bytes(labels)},
                                       {"w", TensorType::f64, {1, 2}, bytes(w)}};
  const std::string file = write_tensor_file(R"({"schema":1})", tensors);
  const std::string header = R"({"__metadata__":{"digest":"91dfa4e3aac38670","plumb":"{\"schema\":1}",)"
                             R"("xxh3":"4e4e491e4a77278f 343ad392acab1fca"},)"
                             R"("w":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},)"
                             R"("labels":{"dtype":"U8","shape":[5],"data_offsets":[16,21]}}   )";
  const std::string length("\xE8\0\0\0\0\0\0\0", 8);
  const std::string data("\0\0\0\0\0\0\xE0\x3F\0\0\0\0\0\0\xF0\xBFnoyes", 21);
  EXPECT_EQ(file, length + header + data);
}

TEST(TensorFile, SurvivesAMove) {
  TensorFile first = parse(small_file());
  const double* const before = first.f64("weights").data();
  const TensorFile second = std::move(first);
  EXPECT_EQ(second.f64("weights").data(), before);
  EXPECT_EQ(second.f64("weights")[1], -1.25);
}

TEST(TensorFile, RefusesATypeThatTheTensorDoesNotHave) {
  const TensorFile file = parse(small_file());
  const auto message = [&](auto read) -> std::string {
    try {
      read();
      return "none";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::model);
      return error.message();
    }
  };
  EXPECT_EQ(message([&] { file.f32("weights"); }), "tensor \"weights\" is F64, expected F32");
  EXPECT_EQ(message([&] { file.i64("weights"); }), "tensor \"weights\" is F64, expected I64");
  EXPECT_EQ(message([&] { file.u64("weights"); }), "tensor \"weights\" is F64, expected U64");
  EXPECT_EQ(message([&] { file.i32("counts"); }), "tensor \"counts\" is U32, expected I32");
  EXPECT_EQ(message([&] { file.f64("none"); }), "holds no tensor \"none\", expected one");
}

RC_GTEST_PROP(TensorFile, RoundTripsAnyTensorsAlignedAndInOneForm, ()) {
  constexpr TensorType types[] = {TensorType::f64, TensorType::f32, TensorType::i64, TensorType::i32,
                                  TensorType::u64, TensorType::u32, TensorType::u8};
  std::vector<Tensor> tensors;
  std::vector<std::vector<std::byte>> storage;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    Tensor tensor{.name = std::to_string(i) + "/\"\\\n\xC3\xA9", .type = types[*rc::gen::inRange(0, 7)]};
    std::size_t size = size_of(tensor.type);
    for (int d = *rc::gen::inRange(0, 4); d > 0; --d) {
      tensor.shape.push_back(*rc::gen::inRange<std::uint64_t>(0, 5));
      size *= tensor.shape.back();
    }
    storage.emplace_back(size);
    for (std::byte& byte : storage.back()) byte = std::byte{*rc::gen::arbitrary<std::uint8_t>()};
    tensor.bytes = storage.back();
    tensors.push_back(tensor);
  }
  const std::string plumb = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  const std::string written = write_tensor_file(plumb, tensors);
  const TensorFile file = parse(written);
  RC_ASSERT(file.plumb() == plumb);
  RC_ASSERT(file.tensors().size() == tensors.size());
  for (const Tensor& tensor : tensors) {
    const Tensor* found = file.find(tensor.name);
    RC_ASSERT(found != nullptr);
    RC_ASSERT(found->type == tensor.type);
    RC_ASSERT(found->shape == tensor.shape);
    RC_ASSERT(std::ranges::equal(found->bytes, tensor.bytes));
    RC_ASSERT(reinterpret_cast<std::uintptr_t>(found->bytes.data()) % size_of(found->type) == 0u);
  }
  RC_ASSERT(rewritten(file) == written);
}

TEST(TensorFile, RefusesToWriteWhatItWouldNotRead) {
  const auto refuses = [](const std::string& plumb, const std::vector<Tensor>& tensors) {
    try {
      write_tensor_file(plumb, tensors);
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::internal;
    }
  };
  const auto one = bytes(letters).first(1);
  EXPECT_FALSE(refuses("{}", {{"a", TensorType::u8, {1}, one}}));
  EXPECT_FALSE(refuses("{}", {{std::string(1024, 'a'), TensorType::u8, {1, 1, 1, 1, 1, 1, 1, 1}, one}}));
  EXPECT_TRUE(refuses("\xFF", {}));
  EXPECT_TRUE(refuses(std::string(17u << 20, 'x'), {}));
  EXPECT_TRUE(refuses("{}", {{"", TensorType::u8, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{"\xFF", TensorType::u8, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{"__metadata__", TensorType::u8, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{std::string(1025, 'a'), TensorType::u8, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{"a", TensorType::u8, {1}, one}, {"a", TensorType::u8, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{"a", TensorType::u8, {2}, one}}));
  EXPECT_TRUE(refuses("{}", {{"a", TensorType::f64, {1}, one}}));
  EXPECT_TRUE(refuses("{}", {{"a", TensorType::u8, {1, 1, 1, 1, 1, 1, 1, 1, 1}, one}}));
  EXPECT_TRUE(refuses("{}", std::vector<Tensor>(65'537, {"a", TensorType::u8, {1}, one})));
}

TEST(DamagedTensorFile, IsRefusedAtEveryTruncation) {
  const std::string file = small_file();
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(refusal(file.substr(0, length)).empty()) << length;
    EXPECT_FALSE(refusal(mended(file.substr(0, length))).empty()) << length << " with right checksums";
  }
}

TEST(DamagedTensorFile, IsRefusedForEveryBit) {
  const std::string file = small_file();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string changed = file;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(refusal(std::move(changed)).empty()) << "byte " << bit / 8 << ", bit " << bit % 8;
  }
}

// With valid checksums a changed file is another file; then it must be one that writing would have made.
TEST(DamagedTensorFile, WithRightChecksumsIsRefusedOrInTheOnlyForm) {
  const std::string file = small_file();
  const auto check = [](const std::string& changed) {
    try {
      EXPECT_EQ(rewritten(parse(changed)), changed);
      return 1;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::model);
      return 0;
    }
  };
  int accepted = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int value = 0; value < 256; value += at < 8 ? 1 : 3) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      accepted += check(mended(changed));
    }
    std::string longer = file, shorter = file;
    accepted += check(mended(longer.insert(at, 1, ' ')));
    accepted += check(mended(shorter.erase(at, 1)));
  }
  EXPECT_GT(accepted, 0);  // names, texts and data may be anything
}

TEST(DamagedTensorFile, NamesTheTensorThatIsDamaged) {
  std::string file = small_file();
  file.back() = 'x';
  EXPECT_NE(refusal(file).find("tensor \"letters\" has the checksum"), std::string::npos) << refusal(file);
}

TEST(ForgedTensorFile, IsOtherwiseAccepted) {
  EXPECT_EQ(refusal(forged(header_with(""), "")), "");
  EXPECT_EQ(refusal(forged(header_with(entry("a", "U8", "", "0,1")), "x")), "");
  EXPECT_EQ(refusal(forged(header_with(entry("a", "F64", "0,7", "0,0") + "," + entry("b", "U8", "2", "0,2")), "xy")),
            "");
}

TEST(ForgedTensorFile, IsRefusedForItsHeaderLength) {
  const std::string good = forged(header_with(entry("a", "U8", "1", "0,1")), "x");
  const auto with_length = [&](std::uint64_t length) {
    std::string file = good;
    std::memcpy(file.data(), &length, sizeof length);
    return mended(file);
  };
  const std::uint64_t right = good.size() - 9;
  EXPECT_EQ(refusal(with_length(right)), "");
  for (const std::uint64_t length : {right + 8, std::uint64_t{1} << 24, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                                     ~std::uint64_t{0}, ~std::uint64_t{7}, right - 1, right + 1}) {
    expect_refused(with_length(length), "the header claims");
  }
  for (const std::uint64_t length : {right - 8, std::uint64_t{0}, std::uint64_t{8}}) {
    expect_refused(with_length(length), "header");
  }
  expect_refused(forged(header_with("") + std::string(17u << 20, ' '), ""), "the header claims");
}

TEST(ForgedTensorFile, IsRefusedForShapes) {
  const auto shaped = [](const std::string& type, const std::string& shape, std::size_t size) {
    return forged(header_with(entry("a", type, shape, "0," + std::to_string(size))), std::string(size, 'x'));
  };
  EXPECT_EQ(refusal(shaped("U8", "2,3", 6)), "");
  for (const std::string shape :
       {"9223372036854775808", "18446744073709551615", "4294967296,4294967296", "2,9223372036854775808",
        "0,9223372036854775808,2", "9223372036854775808,2,0", "6148914691236517206,3"}) {
    expect_refused(shaped("F64", shape, 0), "bytes, expected more than 64 bits can count");
    expect_refused(shaped("F64", shape, 8), "bytes, expected more than 64 bits can count");
    expect_refused(shaped("F64", shape, 16), "bytes, expected more than 64 bits can count");
  }
  expect_refused(shaped("U8", "9223372036854775808", 8), "expected 9223372036854775808 for U8");
  expect_refused(shaped("U8", "4", 3), "holds 3 bytes, expected 4 for U8 of shape [4]");
  expect_refused(shaped("F64", "1", 7), "holds 7 bytes, expected 8");
  expect_refused(shaped("F64", "", 0), "holds 0 bytes, expected 8");
  expect_refused(shaped("U8", "18446744073709551616", 1), "expected a whole number");
  expect_refused(shaped("U8", "-1", 1), "expected a whole number");
  expect_refused(shaped("U8", "1.0", 1), "expected a whole number");
  expect_refused(shaped("U8", "1e0", 1), "expected a whole number");
  expect_refused(shaped("U8", "01", 1), "leading 0");
  expect_refused(shaped("U8", "\"1\"", 1), "found a string, expected a number");
  expect_refused(shaped("U8", "null", 1), "found null, expected a number");
  expect_refused(shaped("U8", "[1]", 1), "found an array, expected a number");
  expect_refused(shaped("U8", "1,1,1,1,1,1,1,1,1", 1), "more than 8 dimensions");
}

TEST(ForgedTensorFile, IsRefusedForOffsets) {
  const auto placed = [](const std::string& first, const std::string& second) {
    return forged(header_with(entry("a", "U8", "4", first) + "," + entry("b", "U8", "4", second)), "abcdefgh");
  };
  EXPECT_EQ(refusal(placed("0,4", "4,8")), "");
  expect_refused(placed("0,4", "0,4"), "expected it from 4");  // the same bytes twice
  expect_refused(placed("0,4", "3,7"), "expected it from 4");  // overlap
  expect_refused(placed("0,4", "5,9"), "expected it from 4");  // hole, and past the end
  expect_refused(placed("1,5", "5,9"), "expected it from 0");  // hole at the start
  expect_refused(placed("4,8", "0,4"), "expected it from 0");  // in another order
  expect_refused(placed("4,0", "0,4"), "expected it from 0");  // backwards
  expect_refused(placed("0,4", "4,12"), "and within 8");       // past the end
  expect_refused(placed("0,4", "4,18446744073709551612"), "and within 8");
  expect_refused(placed("0,18446744073709551612", "4,8"), "and within 8");
  expect_refused(placed("0,4", "4,7"), "holds 3 bytes, expected 4");
  expect_refused(placed("-0,4", "4,8"), "expected a whole number");
  expect_refused(placed("0,-4", "4,8"), "expected a whole number");
  expect_refused(placed("0,4.0", "4,8"), "expected a whole number");
  expect_refused(placed("0,4e0", "4,8"), "expected a whole number");
  expect_refused(placed("0,18446744073709551620", "4,8"), "expected a whole number");
  expect_refused(placed("0", "4,8"), "too few offsets");
  expect_refused(placed("", "4,8"), "too few offsets");
  expect_refused(placed("0,4,4", "4,8"), "third offset");
  expect_refused(forged(header_with(entry("a", "U8", "4", "0,4")), "abcdefgh"), "holds 8 bytes of data, expected 4");
  expect_refused(forged(header_with(""), "x"), "holds 1 bytes of data, expected 0");
  const std::string unaligned = entry("a", "U8", "4", "0,4") + "," + entry("b", "F64", "1", "4,12");
  expect_refused(forged(header_with(unaligned), std::string(12, 'x')), "larger elements than the one before");
}

TEST(ForgedTensorFile, IsRefusedForNamesTypesAndKeys) {
  const auto with = [](const std::string& entries) { return forged(header_with(entries), ""); };
  const std::string a = entry("a", "U8", "0", "0,0");
  EXPECT_EQ(refusal(with(a)), "");
  expect_refused(with(a + "," + a), "two tensors \"a\"");
  expect_refused(with(a + "," + entry("\\u0061", "U8", "0", "0,0")), "two tensors \"a\"");
  expect_refused(with(entry("\\u0061", "U8", "0", "0,0")), "not in its only form");
  expect_refused(with(entry("", "U8", "0", "0,0")), "name of 0 bytes");
  expect_refused(with(entry(std::string(1025, 'n'), "U8", "0", "0,0")), "name of 1025 bytes");
  expect_refused(with(entry("__metadata__", "U8", "0", "0,0")), "expected another name");
  expect_refused(with(entry("\xFF", "U8", "0", "0,0")), "expected UTF-8");
  expect_refused(with(entry("\\ud800", "U8", "0", "0,0")), "surrogate pair");
  expect_refused(with(entry("a\x1B[2J", "U8", "0", "0,0")), "control character");
  for (const char* type : {"", "u8", "F16", "BF16", "BOOL", "U8 ", "F640"}) {
    expect_refused(with(entry("a", type, "0", "0,0")), "has dtype");
  }
  expect_refused(with(R"("a":{"shape":[0],"dtype":"U8","data_offsets":[0,0]})"), "expected \"dtype\"");
  expect_refused(with(R"("a":{"dtype":"U8","data_offsets":[0,0]})"), "expected \"shape\"");
  expect_refused(with(R"("a":{"dtype":"U8","shape":[0]})"), "expected \"data_offsets\"");
  expect_refused(with(R"("a":{})"), "expected \"dtype\"");
  expect_refused(with(R"("a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]})"), "expected \"shape\"");
  expect_refused(with(R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1})"), "expected none there");
  expect_refused(with(R"("a":{"dtype":1,"shape":[0],"data_offsets":[0,0]})"), "found a number, expected a string");
  expect_refused(with(R"("a":[])"), "found an array, expected an object");
  expect_refused(with(R"("a":null)"), "found null, expected an object");
}

TEST(ForgedTensorFile, IsRefusedForMetadata) {
  const std::string start = R"({"__metadata__":{"digest":"0000000000000000")";
  const auto with = [&](const std::string& rest) { return forged(start + rest, ""); };
  EXPECT_EQ(refusal(with(R"(,"plumb":"","xxh3":""}})")), "");
  expect_refused(with("}}"), "expected \"plumb\"");
  expect_refused(with(R"(,"plumb":""}})"), "expected \"xxh3\"");
  expect_refused(with(R"(,"xxh3":"","plumb":""}})"), "expected \"plumb\"");
  expect_refused(with(R"(,"digest":"0000000000000000","plumb":"","xxh3":""}})"), "expected \"plumb\"");
  expect_refused(with(R"(,"plumb":"","plumb":"","xxh3":""}})"), "expected \"xxh3\"");
  expect_refused(with(R"(,"plumb":"","xxh3":"","xxh3":""}})"), "expected none there");
  expect_refused(with(R"(,"plumb":"","xxh3":"","other":""}})"), "expected none there");
  expect_refused(with(R"(,"plumb":"","xxh3":""},"__metadata__":{}})"), "expected \"dtype\"");
  expect_refused(with(R"(,"plumb":{},"xxh3":""}})"), "found an object, expected a string");
  expect_refused(with(R"(,"plumb":"","xxh3":"0"}})"), "has 1 characters, expected 0");
  expect_refused(with(R"(,"plumb":"\u0041","xxh3":""}})"), "not in its only form");
  expect_refused(with(R"(,"plumb":"\/","xxh3":""}})"), "not in its only form");
  expect_refused(with(R"(, "plumb":"","xxh3":""}})"), "not in its only form");
  expect_refused(with(R"(,"plumb":"","xxh3":""}}        )"), "not in its only form");
  expect_refused(with(R"(,"plumb":"","xxh3":""}}x)"), "expected the end");
  expect_refused(with(R"(,"plumb":"","xxh3":""})"), "found the end");
  expect_refused(with(",\"plumb\":\"\xFF\",\"xxh3\":\"\"}}"), "expected UTF-8");
  expect_refused(with(",\"plumb\":\"\n\",\"xxh3\":\"\"}}"), "control character");
  expect_refused(forged("{}", ""), "not a plumb model file");
  expect_refused(forged(R"( {"__metadata__":{"digest":"0000000000000000","plumb":"","xxh3":""}})", ""),
                 "not a plumb model file");
  expect_refused("", "not a plumb model file");
  expect_refused(std::string(1000, '\0'), "not a plumb model file");
}

TEST(ForgedTensorFile, IsRefusedForItsSizeInTheHeader) {
  expect_refused(forged(header_with("\"a\":" + std::string(1'000'000, '[')), ""), "found an array, expected an object");
  std::string deep = R"("a":{"dtype":"U8","shape":[)" + std::string(1'000'000, '[');
  expect_refused(forged(header_with(deep), ""), "found an array, expected a number");

  std::string many;
  for (int i = 0; i < 100'000; ++i) many += (many.empty() ? "" : ",") + entry(std::to_string(i), "U8", "0", "0,0");
  expect_refused(forged(header_with(many), ""), "more than 65536 tensors");

  std::string metadata = R"({"__metadata__":{"digest":"0000000000000000")";
  for (int i = 0; i < 1'000'000; ++i) metadata += R"(,"":"")";
  expect_refused(forged(metadata + "}}", ""), "expected \"plumb\"");
  expect_refused(forged(header_with(R"("a":{"dtype":"U8","shape":[)" + std::string(8'000'000, '0')), ""), "leading 0");
  expect_refused(forged(header_with(entry(std::string(15u << 20, 'n'), "U8", "0", "0,0")), ""),
                 "name of 15728640 bytes");
}

TEST(ForgedTensorFile, MayHoldAsManyTensorsAsAllowed) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 65'536; ++i) tensors.push_back({std::to_string(i), TensorType::u8, {0}, {}});
  std::string file = write_tensor_file("{}", tensors);
  const std::size_t size = file.size();
  memory.largest = 0;
  memory.most_live = memory.live.load();
  const std::size_t before = memory.live;
  const TensorFile read = parse(std::move(file));
  EXPECT_LE(memory.largest.load(), 2 * size);
  EXPECT_EQ(memory.largest > size / 2, memory_is_counted);
  EXPECT_LE(memory.most_live - before, 4 * size);
  EXPECT_EQ(read.tensors().size(), tensors.size());
  EXPECT_EQ(read.find("65535")->name, "65535");
}

}  // namespace
}  // namespace plumb::tensor_file_test
