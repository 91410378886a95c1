#include "core/error.hpp"
#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

namespace
{

// A work-item does all exchanges of its column. Elements are moved as integers of their size.
constexpr const char *source = R"(
typedef struct { int other[64]; } Others;
#define SWAP_ROWS(name, Element) \
kernel void name(global Element *a, long offset, long row_stride, long column_stride, long columns, int first, int count, \
                 Others others) \
{ \
    const long column = get_global_id(0); \
    if (column >= columns) return; \
    global Element *const top = a + offset + column * column_stride; \
    for (int k = 0; k < count; ++k) { \
        const long one = (first + k) * row_stride, other = others.other[k] * row_stride; \
        const Element kept = top[one]; \
        top[one] = top[other]; \
        top[other] = kept; \
    } \
}
SWAP_ROWS(swap_4, uint)
SWAP_ROWS(swap_8, ulong)
SWAP_ROWS(swap_16, ulong2)
)";

// As many as a kernel's arguments surely hold by value.
struct OpenClOthers {
    std::array<cl_int, 64> other{};
};

constexpr std::size_t group = 32;

class OpenClRowSwaps final : public RowSwaps, public std::enable_shared_from_this<OpenClRowSwaps>
{
  public:
    explicit OpenClRowSwaps(const OpenClNative &native)
    {
        cl_int status = CL_SUCCESS;
        auto *const program = opencl_program(native, source, {});
        for (const auto *name : {"swap_4", "swap_8", "swap_16"}) {
            kernels_.emplace_back(clCreateKernel(program, name, &status));
            check_cl(status, "clCreateKernel");
        }
    }

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        const auto *const kernel = &kernels_[bytes_of(type) == 4 ? 0 : bytes_of(type) == 8 ? 1 : 2];
        return [self = shared_from_this(), kernel, block, others = std::move(others)](LaunchContext &context) {
            for (std::size_t first = 0; first < others.size(); first += OpenClOthers().other.size())
                add(kernel->get(), block, others, first, opencl_queue(context));
        };
    }

  private:
    static void add(cl_kernel kernel, const DeviceBlock &block, const std::vector<std::int64_t> &others,
                    std::size_t first, cl_command_queue queue)
    {
        OpenClOthers some;
        const auto count = std::min(some.other.size(), others.size() - first);
        std::transform(others.begin() + static_cast<std::ptrdiff_t>(first),
                       others.begin() + static_cast<std::ptrdiff_t>(first + count), some.other.begin(),
                       [](std::int64_t other) { return static_cast<cl_int>(other); });
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
        set(some);
        const auto items = (static_cast<std::size_t>(block.columns) + group - 1) / group * group;
        check_cl(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
    }

    std::vector<ClKernel> kernels_;
};

} // namespace

std::shared_ptr<RowSwaps> make_opencl_row_swaps(DeviceSession &session)
{
    return std::make_shared<OpenClRowSwaps>(opencl_native(session.device()));
}

} // namespace hpart
