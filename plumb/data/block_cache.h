// A source with a block cache: a file that keeps the parsed pieces. A later run over the same bytes with the same
// options maps that file instead of parsing, and returns the same rows, lines, notes and digest. A cache of anything
// else is never used: the key is a hash of the content of the input files and of everything that shapes the pieces.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/source.h"

namespace plumb {

class BlockWriter;
class MappedFile;

class CachedSource final : public Source {
 public:
  enum class Write { allowed, forbidden };  // forbidden: a valid cache is used, but none is made

  // A source that has not been read from, and the paths and options that it was opened with. Throws Error(usage) if one
  // of the inputs can be read only once, or if a file at `cache` is not a block cache: a user's file is never
  // overwritten.
  CachedSource(std::unique_ptr<Source> source, std::vector<std::string> paths, const ReadOptions& options,
               std::string cache, Write write = Write::allowed);
  ~CachedSource() override;

  const std::vector<ColumnInfo>& columns() const noexcept override { return source_->columns(); }
  const std::vector<std::string>& notes() const noexcept override { return used_ ? notes_ : source_->notes(); }
  const Skipped& skipped() const noexcept override { return used_ ? skipped_ : source_->skipped(); }
  const std::vector<std::string>& na() const noexcept override { return source_->na(); }
  void select(std::vector<Selected> wanted) override;
  bool next(Table& piece, const Run& run) override;
  std::string_view form() const noexcept override { return source_->form(); }
  std::string digest() const override { return used_ ? digest_ : source_->digest(); }
  const std::string& name() const noexcept override { return source_->name(); }

  // The work before the first piece, which next() otherwise does: hashes the inputs, then loads the cache or begins to
  // write one. After select(). A cache that is damaged or cannot be written is not an Error but a warning.
  void prepare(const Run& run);
  bool used() const noexcept { return used_; }  // the rows come from the cache
  // Where the new cache is until the end of the input; empty if none is written.
  std::string temporary() const;

  // What happened to the cache, in sentences that begin with its path; complete at the end of the input.
  const std::vector<std::string>& cache_notes() const noexcept { return cache_notes_; }
  const std::vector<std::string>& cache_warnings() const noexcept { return cache_warnings_; }

 private:
  // The input files as stored, one after the other.
  struct Content {
    std::string digest;  // XXH3-128 of all their bytes, in hexadecimal digits
    std::vector<std::uint64_t> sizes;
    bool operator==(const Content&) const = default;
  };

  Content content(const Run& run) const;
  std::array<std::uint64_t, 2> key() const;
  bool load(const Run& run);
  void finish(const Run& run);
  bool unchanged(const Run& run) const;
  template <class Action>
  void try_to_write(Action action);

  std::unique_ptr<Source> source_;
  std::vector<std::string> paths_;
  ReadOptions options_;
  std::string cache_;
  Write write_;
  std::vector<Selected> wanted_;
  bool selected_ = false;
  bool prepared_ = false;
  bool used_ = false;
  std::string was_;  // why the existing cache was not used
  Content content_;
  std::unique_ptr<MappedFile> mapped_;   // until it is loaded
  std::unique_ptr<BlockWriter> writer_;  // while a cache is being written
  std::size_t first_notes_ = 0;          // of the source, before its rows were read
  std::deque<Table> ready_;
  std::vector<std::string> notes_;
  Skipped skipped_;
  std::string digest_;
  std::vector<std::string> cache_notes_;
  std::vector<std::string> cache_warnings_;
};

}  // namespace plumb
