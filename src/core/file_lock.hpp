// One writer of a file at a time.
#pragma once

#include "core/descriptor.hpp"

#include <chrono>
#include <string>

namespace hpart
{

// Held while it lives, by an empty file of its own beside the one that is to be written, which others replace by renaming. The
// system gives it back when the process ends, however it ends. Where a file system has no locks there is none.
class FileLock
{
  public:
    // Status::io when another call, of this or another process, holds it for longer than the patience, or the folder takes no
    // file.
    explicit FileLock(const std::string &target, std::chrono::milliseconds patience = {});
    FileLock(const FileLock &) = delete;
    FileLock &operator=(const FileLock &) = delete;
    ~FileLock();

  private:
    bool take(const std::string &target);
    bool is_beside() const;

    std::string path_;
    Descriptor file_;
};

} // namespace hpart
