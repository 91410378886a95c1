#include "out_of_card/pipeline/copy_threads.hpp"

#include <algorithm>
#include <cstring>

namespace hpart
{

namespace
{

// Less is not worth a second thread's waking.
constexpr std::int64_t least_part_bytes = std::int64_t{1} << 18;

void copy_rows(const HostCopy &copy)
{
    const auto [rows, row_bytes] = copy.rectangle;
    for (std::int64_t row = 0; row < rows; ++row)
        std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch,
                    static_cast<std::size_t>(row_bytes));
}

// Rows [first, first + rows) of it, or bytes of its only row.
HostCopy part_of(const HostCopy &whole, std::int64_t first, std::int64_t count)
{
    auto part = whole;
    const bool one_row = whole.rectangle.rows == 1;
    part.from += first * (one_row ? 1 : whole.from_pitch);
    part.to += first * (one_row ? 1 : whole.to_pitch);
    part.rectangle = one_row ? Rectangle{1, count} : Rectangle{count, whole.rectangle.row_bytes};
    return part;
}

} // namespace

CopyThreads::CopyThreads(int helpers)
{
    threads_.reserve(static_cast<std::size_t>(helpers));
    try {
        for (int k = 0; k < helpers; ++k) threads_.emplace_back([this] { help(); });
    } catch (...) {
        return; // those there are do it all
    }
}

CopyThreads::~CopyThreads()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    for (auto &thread : threads_) thread.join();
}

void CopyThreads::copy(const HostCopy &whole) noexcept
{
    const auto divisible = whole.rectangle.rows == 1 ? whole.rectangle.row_bytes : whole.rectangle.rows;
    const auto parts = std::clamp<std::int64_t>(whole.rectangle.bytes() / least_part_bytes, 1,
                                                std::min(divisible, static_cast<std::int64_t>(threads_.size()) + 1));
    int left = 0;
    for (std::int64_t k = 1; k < parts; ++k) {
        const auto first = divisible * k / parts, end = divisible * (k + 1) / parts;
        const auto part = part_of(whole, first, end - first);
        if (!give(part, left)) copy_rows(part);
    }
    copy_rows(part_of(whole, 0, divisible / parts));
    const auto is_done = [&left] { return left == 0; }; // those who help count it down
    std::unique_lock lock(mutex_);
    while (!is_done()) {
        // This thread does the parts that nobody has taken, of this copy or of others.
        if (parts_.empty())
            done_.wait(lock);
        else
            run_first(lock);
    }
}

bool CopyThreads::give(const HostCopy &copy, int &left) noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        parts_.push_back({copy, &left});
        ++left;
    } catch (const std::bad_alloc &) {
        return false;
    }
    changed_.notify_one();
    return true;
}

void CopyThreads::run_first(std::unique_lock<std::mutex> &lock)
{
    const auto part = parts_.front();
    parts_.pop_front();
    lock.unlock();
    copy_rows(part.copy);
    lock.lock();
    if (--*part.left == 0) done_.notify_all();
}

void CopyThreads::help()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || !parts_.empty(); });
        if (parts_.empty()) return;
        run_first(lock);
    }
}

} // namespace hpart
