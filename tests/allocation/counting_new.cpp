#include "counting_new.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace
{

std::atomic<std::int64_t> live_count{0}, made_count{0}, failing{0};

void *allocate(std::size_t bytes, std::size_t alignment) noexcept
{
    if (made_count.fetch_add(1) + 1 == failing.load()) return nullptr;
    const auto rounded = std::max<std::size_t>(1, (bytes + alignment - 1) / alignment) * alignment;
    void *memory =
        alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(rounded);
    if (memory != nullptr) ++live_count;
    return memory;
}

void *allocate_or_throw(std::size_t bytes, std::size_t alignment)
{
    if (void *memory = allocate(bytes, alignment)) return memory;
    throw std::bad_alloc();
}

void release(void *memory) noexcept
{
    if (memory == nullptr) return;
    --live_count;
    std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

} // namespace

namespace allocations
{

std::int64_t live() { return live_count; }

void fail_at(std::int64_t k)
{
    failing = 0;
    made_count = 0;
    failing = k;
}

std::int64_t made() { return made_count; }

} // namespace allocations

void *operator new(std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void *operator new[](std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void *operator new(std::size_t bytes, std::align_val_t alignment)
{
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t bytes, std::align_val_t alignment)
{
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return allocate(bytes, usual); }
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept { return allocate(bytes, usual); }
void *operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { release(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept { release(memory); }
void operator delete[](void *memory, std::align_val_t, const std::nothrow_t &) noexcept { release(memory); }
