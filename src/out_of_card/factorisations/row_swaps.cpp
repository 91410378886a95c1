#include "out_of_card/factorisations/row_swaps.hpp"

#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/factorisations/panel_kernels.hpp"
#ifdef HPART_HAVE_OPENCL
#include "out_of_card/in_card/opencl_kernel.hpp"
#endif

#include <array>
#include <map>
#include <span>
#include <tuple>

namespace hpart
{

namespace
{

class HostRowSwaps final : public RowSwaps
{
  public:
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others, const BufferSide &) override
    {
        const auto bytes = block.offset * bytes_of(type);
        const HostMatrix rows{
            type,    block.row_major, block.rows, block.columns, static_cast<char *>(block.buffer->native()) + bytes,
            block.ld};
        for (auto &other : others) ++other; // as LAPACK counts
        return [=](LaunchContext &) { on_host::swap_rows(rows, others); };
    }
};

#ifdef HPART_HAVE_OPENCL

// A work-item does all exchanges of its column. Elements are moved as integers of their size. The row numbers are arguments that no
// loop indexes: some drivers (Mesa 22.3) cannot index them.
constexpr const char *source = R"(
#if BYTES == 4
typedef uint element;
#elif BYTES == 8
typedef ulong element;
#else
typedef ulong2 element;
#endif
#define SWAP(k, row) \
    if ((k) < count) { \
        const long one = (first + (k)) * row_stride, other = (row) * row_stride; \
        const element kept = top[one]; \
        top[one] = top[other]; \
        top[other] = kept; \
    }
#define SWAP_4(k, rows) SWAP(k, rows.x) SWAP(k + 1, rows.y) SWAP(k + 2, rows.z) SWAP(k + 3, rows.w)
kernel void swap_rows(global element *a, long offset, long row_stride, long column_stride, long columns, long first, int count,
                      long4 r0, long4 r1, long4 r2, long4 r3, long4 r4, long4 r5, long4 r6, long4 r7,
                      long4 r8, long4 r9, long4 r10, long4 r11, long4 r12, long4 r13, long4 r14, long4 r15)
{
    const long column = get_global_id(0);
    if (column >= columns) return;
    global element *const top = a + offset + column * column_stride;
    SWAP_4(0, r0) SWAP_4(4, r1) SWAP_4(8, r2) SWAP_4(12, r3) SWAP_4(16, r4) SWAP_4(20, r5) SWAP_4(24, r6) SWAP_4(28, r7)
    SWAP_4(32, r8) SWAP_4(36, r9) SWAP_4(40, r10) SWAP_4(44, r11) SWAP_4(48, r12) SWAP_4(52, r13) SWAP_4(56, r14) SWAP_4(60, r15)
}
)";

// The row numbers of a launch, as the kernel takes them.
using Rows = std::array<cl_long4, 16>;
constexpr std::size_t most_rows = 64;

class OpenClRowSwaps final : public RowSwaps
{
  public:
    explicit OpenClRowSwaps(const OpenClNative &native) : native_(native) {}

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others, const BufferSide &) override
    {
        auto &kernel = kernels_[bytes_of(type)];
        if (!kernel)
            kernel = std::make_shared<OpenClKernel>(native_, source, OpenClDefinitions().set("BYTES", bytes_of(type)),
                                                    "swap_rows");
        return [kernel, block, others = std::move(others)](LaunchContext &context) {
            for (std::size_t first = 0; first < others.size(); first += most_rows)
                add(*kernel, block, std::span(others).subspan(first), first, context);
        };
    }

  private:
    static void add(OpenClKernel &kernel, const DeviceBlock &block, std::span<const std::int64_t> others,
                    std::size_t first, LaunchContext &context)
    {
        constexpr std::size_t group = 32;
        const auto count = std::min(most_rows, others.size());
        Rows rows{};
        for (std::size_t k = 0; k < count; ++k) rows[k / 4].s[k % 4] = others[k];
        const OpenClRange range{{(static_cast<std::size_t>(block.columns) + group - 1) / group, 1, 1}, {group, 1}};
        const auto launch = [&](const auto &...fours) {
            kernel.launch(context, range, opencl_native(*block.buffer), cl_long{block.offset},
                          cl_long{block.row_major ? block.ld : 1}, cl_long{block.row_major ? 1 : block.ld},
                          cl_long{block.columns}, static_cast<cl_long>(first), static_cast<cl_int>(count), fours...);
        };
        std::apply(launch, rows);
    }

    OpenClNative native_;
    std::map<std::int64_t, std::shared_ptr<OpenClKernel>> kernels_; // by the bytes of an element
};

#endif

class CudaRowSwaps final : public RowSwaps
{
  public:
    explicit CudaRowSwaps(std::shared_ptr<PanelKernels> kernels) : kernels_(std::move(kernels)) {}

    bool reads_list() const override { return true; }
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others,
                const BufferSide &list) override
    {
        return [kernels = kernels_, type, block, rows = std::ssize(others), list](LaunchContext &context) {
            kernels->swap_rows(type, block, list, rows, static_cast<CudaStream>(context.queue));
        };
    }

  private:
    std::shared_ptr<PanelKernels> kernels_;
};

std::shared_ptr<RowSwaps> make_row_swaps(DeviceSession &session)
{
    switch (session.info().backend) {
    case Backend::host: return std::make_shared<HostRowSwaps>();
#ifdef HPART_HAVE_OPENCL
    case Backend::opencl: return std::make_shared<OpenClRowSwaps>(opencl_native(session.device()));
#endif
    default: return std::make_shared<CudaRowSwaps>(panel_kernels(session));
    }
}

} // namespace

std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session)
{
    return session.kept<RowSwaps>("row swaps", [&] { return make_row_swaps(session); });
}

} // namespace hpart
