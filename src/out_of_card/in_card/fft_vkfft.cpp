#include "out_of_card/in_card/fft.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"
#include "out_of_card/in_card/vkfft_plan.hpp"

#include <map>
#include <memory>

namespace hpart
{

namespace
{

// Squares of so many numbers a side change places in local memory.
constexpr std::int64_t twiddle_tile = 16;

constexpr const char *twiddle_source = R"(
#ifdef IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double2 number;
#else
typedef float2 number;
#endif

number product(number a, number b) { return (number)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel void twiddle(global const number *from, global number *to, global const number *roots, long from_first,
                  long to_first, long roots_first, long rows, long columns, long first, long fine)
{
    local number tile[TILE][TILE + 1];
    const long x = get_local_id(0), y = get_local_id(1);
    const long column = get_group_id(0) * TILE;
    const long row = (get_group_id(1) + (long)get_num_groups(1) * get_group_id(2)) * TILE;
    if (column + x < columns && row + y < rows) {
        const long e = (first + column + x) * (row + y);
        const number root = product(roots[roots_first + e % fine], roots[roots_first + fine + e / fine]);
        tile[y][x] = product(from[from_first + (row + y) * columns + column + x], root);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row + x < rows && column + y < columns) to[to_first + (column + y) * rows + row + x] = tile[x][y];
}
)";

bool is_smooth(std::int64_t length)
{
    for (const std::int64_t prime : {2, 3, 5, 7, 11, 13}) // those that VkFFT has
        while (length % prime == 0) length /= prime;
    return length == 1;
}

// In the host's memory: the device may have none left. `content` may be null.
ClBuffer make_sample_buffer(const OpenClNative &native, std::int64_t bytes, void *content)
{
    const cl_mem_flags copied = content != nullptr ? CL_MEM_COPY_HOST_PTR : 0;
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(native.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR | copied,
                                   static_cast<std::size_t>(bytes), content, &status));
    check_allocation(status, "clCreateBuffer");
    return buffer;
}

bool is_right(const OpenClNative &native, VkFftPlan &plan, const DeviceFftShape &shape)
{
    FftSample sample(shape);
    const auto data = make_sample_buffer(native, sample.bytes(), sample.data());
    ClBuffer scratch;
    if (plan.scratch_bytes() > 0) scratch = make_sample_buffer(native, plan.scratch_bytes(), nullptr);
    cl_int status = CL_SUCCESS;
    const ClQueue queue(clCreateCommandQueue(native.context, native.device, 0, &status));
    check_cl(status, "clCreateCommandQueue");
    plan.run(queue.get(), data.get(), 0, scratch.get());
    check_cl(clEnqueueReadBuffer(queue.get(), data.get(), CL_TRUE, 0, static_cast<std::size_t>(sample.bytes()),
                                 sample.data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return sample.is_transformed();
}

class FftByVkFft final : public InCardFft
{
  public:
    explicit FftByVkFft(Device &device)
        : info_(device.info()), native_(opencl_native(device)), local_bytes_(local_bytes_for_vkfft(native_.device))
    {
    }

    std::string_view name() const override { return "vkfft"; }
    // Odd lines of real numbers in one turn only.
    bool supports(const DeviceFftShape &shape) const override
    {
        return shape.kind == FftKind::complex || (shape.length > 1 && (shape.length % 2 == 0 || is_one_turn(shape)));
    }
    bool supports_pitch() const override { return false; }

    std::int64_t table_bytes(const DeviceFftShape &shape) const override
    {
        if (find(shape) != nullptr) return 0;
        // The roots of each turn; where the length is awkward the chirp of up to four times as many, and its transforms.
        const std::int64_t numbers = is_smooth(shape.length) ? 2 : 16;
        return numbers * shape.length * shape.complex_bytes();
    }

    std::int64_t kept_bytes() const override
    {
        std::int64_t sum = 0;
        for (const auto &[shape, plan] : plans_)
            if (plan) sum += plan->table_bytes();
        return sum;
    }

    void forget() override { plans_.clear(); }

    std::int64_t scratch_bytes(const DeviceFftShape &shape) const override
    {
        if (const auto *plan = find(shape)) return plan->scratch_bytes();
        if (is_one_turn(shape)) return 0;
        const auto longer = is_smooth(shape.length) ? shape.length + 1 : 4 * shape.length;
        return shape.outer * longer * shape.inner * shape.complex_bytes();
    }

    void prepare(const DeviceFftShape &shape) override { plan_of(shape); }

    Launch transform(const DeviceFftShape &shape, const DevicePlace &data, DeviceBuffer *scratch) override
    {
        return [plan = plan_of(shape), data, scratch](LaunchContext &context) {
            plan->run(opencl_queue(context), opencl_native(*data.buffer), data.offset_bytes,
                      scratch == nullptr ? nullptr : opencl_native(*scratch));
        };
    }

    Launch twiddle(const DeviceTwiddle &what) override
    {
        auto &kernel = twiddle_kernel_[what.is_double ? 1 : 0];
        if (!kernel) {
            OpenClDefinitions definitions;
            definitions.set("TILE", twiddle_tile);
            if (what.is_double) definitions.set("IS_DOUBLE", 1);
            kernel = std::make_shared<OpenClKernel>(native_, twiddle_source, definitions, "twiddle");
        }
        return [kernel, what](LaunchContext &context) {
            const std::int64_t bytes = what.is_double ? 16 : 8;
            const auto range = tall_range(ceil_div(what.columns, twiddle_tile), ceil_div(what.rows, twiddle_tile),
                                          {twiddle_tile, twiddle_tile});
            kernel->launch(context, range, opencl_native(*what.from.buffer), opencl_native(*what.to.buffer),
                           opencl_native(*what.roots.buffer), cl_long{what.from.offset_bytes / bytes},
                           cl_long{what.to.offset_bytes / bytes}, cl_long{what.roots.offset_bytes / bytes},
                           cl_long{what.rows}, cl_long{what.columns}, cl_long{what.first},
                           cl_long{fine_twiddle_roots(what.n)});
        };
    }

  private:
    // True if local memory surely holds the lines that a group transforms: with columns, as many as share a cache line.
    bool is_one_turn(const DeviceFftShape &shape) const
    {
        constexpr std::int64_t cache_line = 64;
        const auto wide = shape.inner > 1 ? cache_line : shape.complex_bytes();
        const auto longer = is_smooth(shape.length) ? shape.length : 4 * shape.length;
        return 2 * longer * wide <= local_bytes_;
    }

    const VkFftPlan *find(const DeviceFftShape &shape) const
    {
        const auto found = plans_.find(shape);
        return found == plans_.end() ? nullptr : found->second.get();
    }

    std::shared_ptr<VkFftPlan> plan_of(const DeviceFftShape &shape)
    {
        if (const auto found = plans_.find(shape); found != plans_.end()) return found->second;
        const auto sample = with_few_lines(shape, most_sample_bytes);
        refuse_wrong(sample);
        auto plan = make_plan(shape);
        if (!checked_.contains(sample)) {
            const bool is_whole = sample.outer == shape.outer && sample.inner == shape.inner;
            checked_[sample] = is_right(native_, is_whole ? *plan : *make_plan(sample), sample);
            refuse_wrong(sample);
        }
        return plans_[shape] = std::move(plan);
    }

    std::shared_ptr<VkFftPlan> make_plan(const DeviceFftShape &shape) const
    {
        return std::make_shared<VkFftPlan>(native_.context, native_.device, shape);
    }

    // PoCL 7.1 computes some transforms wrongly and reports success.
    void refuse_wrong(const DeviceFftShape &sample) const
    {
        const auto found = checked_.find(sample);
        if (found == checked_.end() || found->second) return;
        const bool is_pocl = info_.driver.find("PoCL") != std::string::npos;
        fail(Status::device, info_.spec, " computes wrong transforms of ", sample.length, " points in ",
             sample.is_double ? "double" : "single", " precision: VkFFT ", vkfft_version(), " and its driver (",
             info_.driver, ", ", info_.name,
             ") do not work together; take run_on host, another kernel or another device",
             is_pocl ? ", or set POCL_WORK_GROUP_METHOD=cbs in the environment" : "");
    }

    // Larger samples would take as long as compiling a plan of fewer lines.
    static constexpr std::int64_t most_sample_bytes = std::int64_t{1} << 24;

    DeviceInfo info_;
    OpenClNative native_;
    std::int64_t local_bytes_;
    std::map<DeviceFftShape, std::shared_ptr<VkFftPlan>> plans_;
    std::map<DeviceFftShape, bool> checked_; // by sample: true if it was transformed; no plan is used before
    std::shared_ptr<OpenClKernel> twiddle_kernel_[2];
};

} // namespace

std::shared_ptr<InCardFft> make_fft_by_vkfft(DeviceSession &session)
{
    return std::make_shared<FftByVkFft>(session.device());
}

} // namespace hpart
