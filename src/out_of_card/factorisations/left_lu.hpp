// Exchanges of rows of a block on the device.
#pragma once

#include "out_of_card/factorisations/device_work.hpp"

#include <memory>
#include <vector>

namespace hpart
{

class RowSwaps
{
  public:
    RowSwaps() = default;
    RowSwaps(const RowSwaps &) = delete;
    RowSwaps &operator=(const RowSwaps &) = delete;
    virtual ~RowSwaps() = default;
    // Exchanges row k of the block with row others[k], for k = 0, 1, ...
    virtual Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) = 0;
};

// The device's in_use is held.
std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session);

// Kinds of them, where they are built in.
std::shared_ptr<RowSwaps> make_opencl_row_swaps(DeviceSession &session);
std::shared_ptr<RowSwaps> make_cuda_row_swaps(DeviceSession &session);

} // namespace hpart
