// The ledger of an online fit: mistakes and updates of each pass, stored in the Record and shown by inspect.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plumb/model/record.h"

namespace plumb {

struct Ledger {
  std::vector<std::int64_t> mistakes;  // of each pass: rows whose margin was not positive
  std::vector<std::int64_t> updates;   // of each pass: rows that changed the weights
  std::vector<double> norm;            // |w| after each pass, without biases
  bool continued = false;              // there were passes before the ones counted here, or the start was not zero

  void add(std::uint64_t pass_mistakes, std::uint64_t pass_updates, double weights_norm);
  bool empty() const noexcept { return mistakes.empty(); }
  std::int64_t all_mistakes() const noexcept;
  std::int64_t all_updates() const noexcept;

  void write(Record& record) const;
  static Ledger of(const Record& record);  // empty if there is none
};

// With two features: the hyperplanes on the way, as (w, w, bias) after each update, or after some of them; otherwise
// empty.
inline constexpr std::string_view kBoundaryPath = "boundary_path";  // Record::statistics
std::vector<double> boundary_path(const Record& record);

}  // namespace plumb
