#include "numbers.hpp"

#include "core/machine.hpp"
#include "failure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace hpart_command
{

namespace
{

constexpr std::int64_t page_bytes = 4096, pages_worth_a_thread = 256;

std::int64_t bytes_of(char precision, std::int64_t count)
{
    return count * (is_complex(precision) ? 2 : 1) * (is_double(precision) ? 8 : 4);
}

// Available memory where the system reports it (Linux), else all memory; within the limits of control groups.
std::int64_t memory_left()
{
    const auto of_groups = hpart::group_memory_left();
    std::ifstream told("/proc/meminfo");
    for (std::string name; told >> name; told.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
        if (std::int64_t kilobytes = 0; name == "MemAvailable:" && told >> kilobytes)
            return std::min(1024 * kilobytes, of_groups);
    const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? std::min<std::int64_t>(pages * page, of_groups) : of_groups;
}

} // namespace

Numbers::Numbers(char precision, std::int64_t count)
    : precision_(precision), count_(count), reals_(is_complex(precision) ? 2 * count : count)
{
    const auto bytes = bytes_of(precision, count);
    const auto pages = std::max<std::int64_t>((bytes + page_bytes - 1) / page_bytes, 1);
    memory_.reset(
        std::aligned_alloc(static_cast<std::size_t>(page_bytes), static_cast<std::size_t>(pages * page_bytes)));
    if (!memory_) give_up("out of memory: cannot allocate ", bytes, " bytes");
    // Control groups count a page from its first write on: unwritten arrays would seem to leave room for others.
    in_parallel(pages, pages_worth_a_thread, [&](std::int64_t first, std::int64_t end) {
        auto *const begin = static_cast<volatile std::byte *>(memory_.get());
        for (auto page = first; page < end; ++page) begin[page * page_bytes] = std::byte{};
    });
}

void Numbers::set_real(std::int64_t k, double value)
{
    if (is_double(precision_))
        static_cast<double *>(memory_.get())[k] = value;
    else
        static_cast<float *>(memory_.get())[k] = static_cast<float>(value);
}

void Numbers::fill(std::uint64_t stream)
{
    constexpr std::int64_t fewest = 1 << 16; // worth a thread
    in_parallel(reals_, fewest, [&](std::int64_t first, std::int64_t end) {
        for (auto k = first; k < end; ++k)
            set_real(k, static_cast<double>(random_bits(stream, static_cast<std::uint64_t>(k)) >> 11U) * 0x1p-52 - 1);
    });
}

void Numbers::copy_from(const Numbers &other)
{
    std::memcpy(memory_.get(), other.memory_.get(), static_cast<std::size_t>(bytes_of(precision_, count_)));
}

std::uint64_t random_bits(std::uint64_t stream, std::uint64_t k)
{
    std::uint64_t bits = stream * 0xD1342543DE82EF95ULL + k * 0x9E3779B97F4A7C15ULL;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31U);
}

std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes)
{
    constexpr std::int64_t most = std::int64_t{1} << 48; // 16 bytes each is beyond any machine's memory
    std::int64_t count = 1;
    for (const auto size : sizes) {
        if (size > most / count) {
            std::string all;
            for (const auto one : sizes) all += text(all.empty() ? "" : " x ", one);
            refuse(what, " has ", all, " elements, more than any machine has memory for");
        }
        count *= size;
    }
    return count;
}

void require_memory(std::initializer_list<Wanted> arrays)
{
    std::int64_t sum = 0;
    std::string each;
    for (const auto &array : arrays) {
        const auto bytes = bytes_of(array.precision, array.count);
        sum += bytes;
        each += text(each.empty() ? "" : ", ", array.name, " ", bytes);
    }
    // Linux overcommits and kills later: check first.
    if (const auto left = memory_left(); sum > left)
        give_up("out of memory: ", sum, " bytes are wanted (", each, "), and this machine has ", left, " left");
}

} // namespace hpart_command
