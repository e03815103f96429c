// Checksums: XXH3, 64 bits at once and 128 bits as a stream. They find damage, not forgery: nothing about them is
// secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

// XXH3-64 with seed 0: the same number on every machine.
std::uint64_t digest64(std::span<const std::byte> bytes) noexcept;
std::uint64_t digest64(std::string_view bytes) noexcept;

// XXH3-128 with seed 0: high half, low half.
std::array<std::uint64_t, 2> digest128(std::string_view bytes) noexcept;

// XXH3-128 with seed 0 over everything added so far; how the bytes were cut into pieces does not matter.
class Digest128 {
 public:
  Digest128();
  Digest128(Digest128&&) noexcept;
  Digest128& operator=(Digest128&&) noexcept;
  ~Digest128();

  void add(std::span<const std::byte> bytes) noexcept;
  void add(std::string_view bytes) noexcept;

  std::array<std::uint64_t, 2> value() const noexcept;  // high half, low half; more may be added afterwards
  std::string hex() const;                              // 32 lower-case digits, high half first

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 16 lower-case hexadecimal digits, leading zeros kept.
std::string hex16(std::uint64_t value);

// The inverse of hex16 on exactly what hex16 can write; nothing else is read.
std::optional<std::uint64_t> parse_hex16(std::string_view text) noexcept;

}  // namespace plumb
