// Blocks of matrices on the device, of any type.
#pragma once

#include "out_of_card/factorisations/host_matrix.hpp"
#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

// In the layout of the matrix on the host. Offset and leading dimension are in elements.
struct DeviceBlock {
    DeviceBuffer *buffer = nullptr;
    std::int64_t offset = 0, ld = 0;
    std::int64_t rows = 0, columns = 0;
    bool row_major = true;

    DeviceBlock block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const
    {
        return {buffer, offset + (row_major ? i * ld + j : i + j * ld), ld, block_rows, block_columns, row_major};
    }
};

using DeviceFactor = FactorOf<DeviceBlock>;

} // namespace hpart
