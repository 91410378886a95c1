// One writer of a file at a time.
#pragma once

#include "core/descriptor.hpp"

#include <chrono>
#include <string>

namespace hpart
{

// A lock on an empty file beside the target, since the target itself is replaced by renaming. The system releases it when the process
// ends. File systems without locks get none.
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
