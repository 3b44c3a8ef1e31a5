// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace einkorn::detail {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] inline void fail_io(std::filesystem::path const& path, char const* what, int code) {
  throw IoError(path.string() + ": " + what + ": " + std::generic_category().message(code));
}

/// A file violates the gzip format. read_text translates it to ParseError.
struct GzipError : Error {
  using Error::Error;
};

/// A sequential reader that decompresses gzip files, which it detects by their first two bytes. As gzip(1), it
/// accepts several members and trailing zeros. Source: RFC 1952.
class TextFile {
 public:
  explicit TextFile(std::filesystem::path path) : path_(std::move(path)), input_(buffer_bytes) {
    errno = 0;
    file_.reset(std::fopen(path_.c_str(), "rb"));
    if (!file_) fail_io(path_, "cannot open for reading", errno);
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    refill();
    gzip_ = available_ >= 2 && input_[0] == 0x1f && input_[1] == 0x8b;
    if (!gzip_) return;
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw OutOfMemory(path_.string() + ": no memory for zlib");
  }
  TextFile(TextFile const&) = delete;
  TextFile& operator=(TextFile const&) = delete;
  ~TextFile() {
    if (gzip_) inflateEnd(&stream_);
  }

  [[nodiscard]] bool is_gzip() const noexcept { return gzip_; }

  /// Reads up to `capacity` bytes of text, at least one except at the end of the text. Throws IoError,
  /// GzipError.
  std::size_t read(char* to, std::size_t capacity) {
    return gzip_ ? read_gzip(to, capacity) : read_plain(to, capacity);
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

  std::size_t read_from_file(void* to, std::size_t capacity) {
    errno = 0;
    auto const count = std::fread(to, 1, capacity, file_.get());
    if (count < capacity && std::ferror(file_.get())) fail_io(path_, "cannot read", errno);
    return count;
  }

  bool refill() {
    next_ = 0;
    available_ = read_from_file(input_.data(), input_.size());
    return available_ > 0;
  }

  std::size_t read_plain(char* to, std::size_t capacity) {
    if (available_ == 0) return read_from_file(to, capacity);
    auto const count = std::min(capacity, available_);
    std::copy_n(input_.data() + next_, count, reinterpret_cast<unsigned char*>(to));
    next_ += count;
    available_ -= count;
    return count;
  }

  std::size_t read_gzip(char* to, std::size_t capacity) {
    constexpr std::size_t max_bytes = std::size_t{1} << 30;  // zlib counts in unsigned int
    capacity = std::min(capacity, max_bytes);
    for (;;) {
      if (code_ < 0 && code_ != Z_BUF_ERROR) fail_gzip();
      if (available_ == 0 && !refill()) {
        if (in_member_) throw GzipError("the gzip data is truncated");
        return 0;
      }
      if (!in_member_ && !begin_member()) continue;
      stream_.next_in = input_.data() + next_;
      stream_.avail_in = static_cast<unsigned>(available_);
      stream_.next_out = reinterpret_cast<unsigned char*>(to);
      stream_.avail_out = static_cast<unsigned>(capacity);
      code_ = inflate(&stream_, Z_NO_FLUSH);
      next_ += available_ - stream_.avail_in;
      available_ = stream_.avail_in;
      if (code_ == Z_STREAM_END) in_member_ = false;
      if (auto const produced = capacity - stream_.avail_out)
        return produced;  // the next call reports an error
    }
  }

  [[noreturn]] void fail_gzip() const {
    if (code_ == Z_MEM_ERROR) throw OutOfMemory(path_.string() + ": no memory for zlib");
    throw GzipError(std::string("the gzip data is corrupt: ") +
                    (stream_.msg ? stream_.msg : "no message of zlib"));
  }

  /// Begins the next member, or skips zeros at the end of the file. False if the buffer is empty.
  bool begin_member() {
    while (available_ > 0 && members_ > 0 && input_[next_] == 0) {
      padding_ = true;
      ++next_;
      --available_;
    }
    if (available_ == 0) return false;
    if (members_ > 0 && (padding_ || input_[next_] != 0x1f))
      throw GzipError("bytes after the end of the gzip data");
    inflateReset(&stream_);
    ++members_;
    return in_member_ = true;
  }

  std::filesystem::path path_;
  FilePointer file_;
  std::vector<unsigned char> input_;
  std::size_t next_ = 0, available_ = 0, members_ = 0;
  int code_ = Z_OK;  // of the last inflate()
  bool gzip_ = false, in_member_ = false, padding_ = false;
  z_stream stream_{};
};

/// A growing text buffer. Not initialized, and grown by realloc, which remaps pages of large buffers.
class TextBuffer {
 public:
  [[nodiscard]] std::string_view text() const noexcept { return {data_.get(), size_}; }

  /// Reads at least one more byte; false at the end of the text.
  bool read_more(TextFile& file, std::string const& name, std::size_t hint_bytes, std::size_t max_bytes) {
    constexpr std::size_t min_capacity = std::size_t{1} << 16;
    if (size_ == capacity_) grow(name, std::max({min_capacity, hint_bytes, capacity_ + capacity_ / 2}));
    auto const count = file.read(data_.get() + size_, capacity_ - size_);
    if (count > max_bytes || size_ > max_bytes - count)
      throw OutOfMemory(name + ": the text is longer than max_text_bytes = " + std::to_string(max_bytes));
    size_ += count;
    return count > 0;
  }

 private:
  void grow(std::string const& name, std::size_t capacity) {
    void* const moved = std::realloc(data_.get(), capacity);
    if (!moved) throw OutOfMemory(name + ": no memory for " + std::to_string(capacity) + " bytes of text");
    static_cast<void>(data_.release());
    data_.reset(static_cast<char*>(moved));
    capacity_ = capacity;
  }

  struct Free {
    void operator()(char* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// A sequential writer; compresses if the path ends in .gz.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {
    errno = 0;
    if (path_.extension() == ".gz")
      compressed_ = gzopen(path_.c_str(), "wb");
    else
      plain_.reset(std::fopen(path_.c_str(), "wb"));
    if (!compressed_ && !plain_) fail_io(path_, "cannot open for writing", errno ? errno : ENOMEM);
  }
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;
  ~OutputFile() {
    if (compressed_) gzclose(compressed_);
  }

  void write(char const* data, std::size_t count) {
    errno = 0;
    if (plain_) {
      if (std::fwrite(data, 1, count, plain_.get()) != count) fail_io(path_, "cannot write", errno);
    } else if (count > 0 && gzwrite(compressed_, data, static_cast<unsigned>(count)) == 0) {
      fail_io(path_, "cannot write", errno ? errno : EIO);
    }
  }

  /// Flushes and closes. Throws IoError if anything could not be written.
  void close() {
    errno = 0;
    if (plain_ && std::fclose(plain_.release()) != 0) fail_io(path_, "cannot write", errno);
    if (compressed_ && gzclose(std::exchange(compressed_, nullptr)) != Z_OK)
      fail_io(path_, "cannot write", errno ? errno : EIO);
  }

 private:
  std::filesystem::path path_;
  FilePointer plain_;
  gzFile compressed_ = nullptr;
};

}  // namespace einkorn::detail
