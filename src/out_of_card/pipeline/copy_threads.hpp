// Copies of rectangles on the host by a few threads: one alone does not fill a fast link.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace hpart
{

struct HostCopy {
    const std::byte *from = nullptr;
    std::int64_t from_pitch = 0;
    std::byte *to = nullptr;
    std::int64_t to_pitch = 0;
    Rectangle rectangle;
};

class CopyThreads
{
  public:
    // Besides the thread that asks for a copy. Fewer where the system gives no more.
    explicit CopyThreads(int helpers);
    CopyThreads(const CopyThreads &) = delete;
    CopyThreads &operator=(const CopyThreads &) = delete;
    ~CopyThreads();

    // Returns when all is copied. From any thread.
    void copy(const HostCopy &whole) noexcept;

  private:
    struct Part {
        HostCopy copy;
        int *left = nullptr; // parts of the same copy that are not done
    };
    bool give(const HostCopy &copy, int &left) noexcept;
    void run_first(std::unique_lock<std::mutex> &lock);
    void help();

    std::mutex mutex_; // of all below, and of the counters
    std::condition_variable changed_, done_;
    std::deque<Part> parts_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

} // namespace hpart
