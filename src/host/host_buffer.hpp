// Memory of a kernel on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace hpart
{

// Doubles at an address that every vector unit likes, not yet touched: the thread that writes them first has them near.
class HostBuffer
{
  public:
    HostBuffer() = default;
    // rows x columns; Status::out_of_memory when that is more than this machine has.
    HostBuffer(std::int64_t rows, std::int64_t columns);

    double *data() { return data_.get(); }
    const double *data() const { return data_.get(); }
    std::size_t bytes() const { return count_ * sizeof(double); }
    std::span<const double> values() const { return {data_.get(), count_}; }

  private:
    struct Free {
        void operator()(double *data) const { std::free(data); }
    };
    std::unique_ptr<double[], Free> data_;
    std::size_t count_ = 0;
};

} // namespace hpart
