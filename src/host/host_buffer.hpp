// Memory of a kernel on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace hpart
{

// Numbers at an address that every vector unit likes, not yet touched: the thread that writes them first has them near.
template <typename Real> class HostBufferOf
{
  public:
    HostBufferOf() = default;
    // rows x columns; Status::out_of_memory when that is more than this machine has.
    HostBufferOf(std::int64_t rows, std::int64_t columns);

    Real *data() { return data_.get(); }
    const Real *data() const { return data_.get(); }
    std::size_t bytes() const { return count_ * sizeof(Real); }
    std::span<const Real> values() const { return {data_.get(), count_}; }

  private:
    struct Free {
        void operator()(Real *data) const { std::free(data); }
    };
    std::unique_ptr<Real[], Free> data_;
    std::size_t count_ = 0;
};

using HostBuffer = HostBufferOf<double>;

} // namespace hpart
