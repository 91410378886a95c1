#include "core/error.hpp"
#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace hpart
{

namespace
{

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
kernel void swap_rows(global element *a, long offset, long row_stride, long column_stride, long columns, int first, int count,
                      int4 r0, int4 r1, int4 r2, int4 r3, int4 r4, int4 r5, int4 r6, int4 r7,
                      int4 r8, int4 r9, int4 r10, int4 r11, int4 r12, int4 r13, int4 r14, int4 r15)
{
    const long column = get_global_id(0);
    if (column >= columns) return;
    global element *const top = a + offset + column * column_stride;
    SWAP_4(0, r0) SWAP_4(4, r1) SWAP_4(8, r2) SWAP_4(12, r3) SWAP_4(16, r4) SWAP_4(20, r5) SWAP_4(24, r6) SWAP_4(28, r7)
    SWAP_4(32, r8) SWAP_4(36, r9) SWAP_4(40, r10) SWAP_4(44, r11) SWAP_4(48, r12) SWAP_4(52, r13) SWAP_4(56, r14) SWAP_4(60, r15)
}
)";

constexpr std::size_t group = 32;

// The row numbers of a launch, as the kernel takes them.
using Rows = std::array<cl_int4, 16>;
constexpr std::size_t most_rows = 64;

class OpenClRowSwaps final : public RowSwaps, public std::enable_shared_from_this<OpenClRowSwaps>
{
  public:
    explicit OpenClRowSwaps(const OpenClNative &native) : native_(native) {}

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        auto *const kernel = kernel_for(bytes_of(type));
        return [self = shared_from_this(), kernel, block, others = std::move(others)](LaunchContext &context) {
            for (std::size_t first = 0; first < others.size(); first += most_rows)
                add(kernel, block, others, first, opencl_queue(context));
        };
    }

  private:
    cl_kernel kernel_for(std::int64_t bytes)
    {
        auto &kernel = kernels_[bytes];
        if (kernel.get() != nullptr) return kernel.get();
        cl_int status = CL_SUCCESS;
        kernel = ClKernel(clCreateKernel(opencl_program(native_, source, OpenClDefinitions().set("BYTES", bytes)),
                                         "swap_rows", &status));
        check_cl(status, "clCreateKernel");
        return kernel.get();
    }

    static void add(cl_kernel kernel, const DeviceBlock &block, const std::vector<std::int64_t> &others,
                    std::size_t first, cl_command_queue queue)
    {
        const auto count = std::min(most_rows, others.size() - first);
        Rows rows{};
        for (std::size_t k = 0; k < count; ++k) rows[k / 4].s[k % 4] = static_cast<cl_int>(others[first + k]);
        cl_uint place = 0;
        const auto set = [&](const auto &value) {
            constexpr auto bytes = sizeof value; // NOLINT(bugprone-sizeof-expression): a handle is passed itself
            check_cl(clSetKernelArg(kernel, place++, bytes, &value), "clSetKernelArg");
        };
        set(opencl_native(*block.buffer));
        set(static_cast<cl_long>(block.offset));
        set(static_cast<cl_long>(block.row_major ? block.ld : 1));
        set(static_cast<cl_long>(block.row_major ? 1 : block.ld));
        set(static_cast<cl_long>(block.columns));
        set(static_cast<cl_int>(first));
        set(static_cast<cl_int>(count));
        for (const auto &four : rows) set(four);
        const auto items = (static_cast<std::size_t>(block.columns) + group - 1) / group * group;
        check_cl(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
    }

    OpenClNative native_;
    std::map<std::int64_t, ClKernel> kernels_; // by the bytes of an element
};

} // namespace

std::shared_ptr<RowSwaps> make_opencl_row_swaps(DeviceSession &session)
{
    return std::make_shared<OpenClRowSwaps>(opencl_native(session.device()));
}

} // namespace hpart
