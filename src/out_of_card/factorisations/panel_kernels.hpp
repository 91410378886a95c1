// The library's CUDA kernels for factorisations.
#pragma once

#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/in_card/cublas.hpp"

#include <limits>
#include <memory>
#include <string>

namespace hpart
{

inline unsigned long long as_unsigned(std::int64_t size) { return static_cast<unsigned long long>(size); }

inline void *address(const BufferSide &side) { return static_cast<char *>(side.buffer->native()) + side.offset_bytes; }
inline void *address(Scalar type, const DeviceBlock &block)
{
    return address({block.buffer, block.offset * bytes_of(type), 0});
}

// Those of cuda_kernels.cu.
class PanelKernels
{
  public:
    explicit PanelKernels(std::shared_ptr<CudaContext> context) : module_(std::move(context), cuda_kernels_ptx) {}

    void swap_rows(Scalar type, const DeviceBlock &block, const BufferSide &list, std::int64_t rows,
                   CudaStream stream) const
    {
        constexpr int column_threads = 64;
        void *top = address(type, block), *pivots = address(list);
        auto count = as_unsigned(rows), columns = as_unsigned(block.columns),
             row_stride = as_unsigned(block.row_major ? block.ld : 1),
             column_stride = as_unsigned(block.row_major ? 1 : block.ld);
        void *parameters[] = {&top, &pivots, &count, &columns, &row_stride, &column_stride};
        const auto bytes = bytes_of(type);
        const auto *const name = bytes == 4 ? "swap_rows_4" : bytes == 8 ? "swap_rows_8" : "swap_rows_16";
        module_.launch(module_.function(name), ceil_div(block.columns, std::int64_t{column_threads}), column_threads,
                       stream, parameters);
    }

    // The columns are contiguous.
    void find_not_finite(Scalar type, const DeviceBlock &block, void *flag, CudaStream stream) const
    {
        void *a = address(type, block);
        auto rows = as_unsigned(block.rows * parts(type)), ld = as_unsigned(block.ld * parts(type));
        void *parameters[] = {&a, &rows, &ld, &flag};
        launch("find_not_finite_", type, block.columns, stream, parameters);
    }

    void find_unusable(Scalar type, const DeviceBlock &square, void *flag, CudaStream stream) const
    {
        void *a = address(type, square);
        auto count = as_unsigned(square.columns), step = as_unsigned((square.ld + 1) * parts(type)),
             numbers = as_unsigned(parts(type));
        auto least = std::numeric_limits<double>::min();
        auto least_float = std::numeric_limits<float>::min();
        void *parameters[] = {
            &a, &count, &step, &numbers, is_double(type) ? static_cast<void *>(&least) : &least_float, &flag};
        launch("find_unusable_", type, ceil_div(square.columns, std::int64_t{threads}), stream, parameters);
    }

    void make_unit_lower(Scalar type, const DeviceBlock &square, CudaStream stream) const
    {
        void *a = address(type, square);
        auto row_step = as_unsigned((square.row_major ? square.ld : 1) * parts(type)),
             column_step = as_unsigned((square.row_major ? 1 : square.ld) * parts(type)),
             numbers = as_unsigned(parts(type));
        void *parameters[] = {&a, &row_step, &column_step, &numbers};
        launch("make_unit_lower_", type, square.columns, stream, parameters);
    }

  private:
    static constexpr int threads = 256;
    static std::int64_t parts(Scalar type) { return is_complex(type) ? 2 : 1; }
    void launch(const std::string &name, Scalar type, std::int64_t blocks, CudaStream stream, void **parameters) const
    {
        module_.launch(module_.function((name + (is_double(type) ? "double" : "float")).c_str()), blocks, threads,
                       stream, parameters);
    }

    CudaModule module_;
};

inline std::shared_ptr<PanelKernels> panel_kernels(DeviceSession &session)
{
    return session.kept<PanelKernels>("panel kernels", [&] {
        return session.with_room([&] { return std::make_shared<PanelKernels>(cuda_context(session.device())); });
    });
}

} // namespace hpart
