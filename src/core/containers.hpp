// Containers that the standard library lacks.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <variant>
#include <vector>

// Arrays that begin on a cache line, as wide vector instructions like them.

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hpart
{

constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

// Large arrays are on huge pages where the system has them: written for the first time and read at random several times as fast.
inline void ask_for_huge_pages([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes)
{
#if defined(__linux__)
    if (bytes >= huge_page_bytes) madvise(memory, bytes, MADV_HUGEPAGE); // advice: may fail
#endif
}

template <typename Value> struct CacheLineAllocator {
    using value_type = Value;
    static constexpr std::size_t cache_line_bytes = 64;

    static std::align_val_t alignment(std::size_t bytes)
    {
        return std::align_val_t{bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes};
    }

    CacheLineAllocator() = default;
    template <typename Other> CacheLineAllocator(const CacheLineAllocator<Other> &) {}

    Value *allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_array_new_length();
        const auto bytes = count * sizeof(Value);
        auto *memory = ::operator new(bytes, alignment(bytes));
        ask_for_huge_pages(memory, bytes);
        return static_cast<Value *>(memory);
    }
    void deallocate(Value *values, std::size_t count) { ::operator delete(values, alignment(count * sizeof(Value))); }

    template <typename Other> bool operator==(const CacheLineAllocator<Other> &) const { return true; }
};

template <typename Value> using AlignedVector = std::vector<Value, CacheLineAllocator<Value>>;

// A value made once, at the first request, by the requesting thread.

template <typename Value> class Lazy
{
  public:
    // The value, made by make() as a unique_ptr if it is not there. When make throws, the next to ask makes it.
    template <typename Make> const Value &get(Make &&make) const
    {
        if (const auto *ready = ready_.load(std::memory_order_acquire)) return *ready;
        const std::lock_guard lock(making_);
        if (!value_) {
            value_ = make();
            ready_.store(value_.get(), std::memory_order_release);
        }
        return *value_;
    }

    // Nobody may be asking at the same time.
    void forget()
    {
        ready_.store(nullptr, std::memory_order_relaxed);
        value_.reset();
    }

  private:
    mutable std::atomic<const Value *> ready_ = nullptr;
    mutable std::mutex making_;
    mutable std::unique_ptr<const Value> value_;
};

// A std::variant whose copies survive a failing allocation.

// GCC 12's std::variant of texts and vectors takes itself for never empty. When the copy of an alternative throws, it destroys an
// object that does not exist. Here the alternative is copied first and then moved in.
template <typename... Types> class Variant : public std::variant<Types...>
{
    using Base = std::variant<Types...>;

  public:
    using Base::Base;
    Variant() = default;
    Variant(const Variant &other) : Base(copy_of(other)) {}
    Variant(Variant &&other) noexcept = default;
    Variant &operator=(const Variant &other)
    {
        Base::operator=(copy_of(other));
        return *this;
    }
    Variant &operator=(Variant &&other) noexcept = default;
    ~Variant() = default;

  private:
    static Base copy_of(const Base &other)
    {
        return std::visit(
            [](const auto &held) {
                auto copy = held;
                return Base(std::move(copy));
            },
            other);
    }
};

// A hash of numbers. Not for defence: where two contents meet, a comparison decides.

// Adds the values, 8 bytes each, to a hash of the values before them.
template <typename Value> std::uint64_t add_to_hash(std::uint64_t hash, std::span<const Value> values)
{
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U; // 2^64 / golden ratio
    constexpr std::size_t lanes = 4;                   // independent multiplications
    std::array<std::uint64_t, lanes> lane{hash, hash + 1, hash + 2, hash + 3};
    const auto mix = [](std::uint64_t state, Value value) {
        return std::rotl((state ^ std::bit_cast<std::uint64_t>(value)) * odd, 29);
    };
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) lane[l] = mix(lane[l], values[k + l]);
    for (; k < values.size(); ++k) lane[0] = mix(lane[0], values[k]);
    for (std::size_t l = 1; l < lanes; ++l) lane[0] = std::rotl((lane[0] ^ lane[l]) * odd, 31);
    return lane[0] ^ lane[0] >> 32U;
}

} // namespace hpart
