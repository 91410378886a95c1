#include "host/host_buffer.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "host/page_memory.hpp"

#include <new>

namespace hpart
{

namespace
{

constexpr std::size_t alignment = 64;

} // namespace

template <typename Real> HostBufferOf<Real>::HostBufferOf(std::int64_t rows, std::int64_t columns)
{
    const auto count = checked_mul(rows, columns);
    const auto bytes = count ? checked_mul(*count, sizeof(Real)) : std::nullopt;
    if (!bytes || !is_usable_memory(*bytes))
        fail(Status::out_of_memory, "a matrix of ", rows, " x ", columns,
             " numbers is larger than the memory of this machine, or what its control group leaves to this process, ",
             usable_memory_bytes(), " bytes");
    count_ = static_cast<std::size_t>(*count);
    const auto whole_lines = (static_cast<std::size_t>(*bytes) + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<Real *>(std::aligned_alloc(alignment, whole_lines)));
    if (!data_) throw std::bad_alloc();
    take_pages(data_.get(), *bytes);
}

template class HostBufferOf<float>;
template class HostBufferOf<double>;

} // namespace hpart
