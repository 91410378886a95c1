// Exchanges of rows of a matrix on the device.
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
    // True if it takes the rows from a list in the device's memory.
    virtual bool reads_list() const { return false; }
    // Exchanges row k of the block with row others[k], for k = 0, 1, ... `list` has the same rows, counted from 1.
    virtual Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others,
                        const BufferSide &list) = 0;
};

// The device's in_use is held.
std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session);

} // namespace hpart
