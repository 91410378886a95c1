#include "core/error.hpp"
#include "kernels/dgemm.hpp"
#include "out_of_card/devices/opencl_device.hpp"

#include <mutex>

#include <clblast_c.h>

namespace hpart
{

namespace
{

// CLBlast fills its table of tuned parameters in its first call, without a lock of its own (1.5.3).
std::mutex &first_call_mutex()
{
    static std::mutex the_one;
    return the_one;
}

struct DeviceMatrices {
    ClBuffer a, b, c;
};

// A run takes A and B from the host and brings C back: that is what a split of data on the host costs.
class DgemmOnOpenCl final : public BuiltinKernel
{
  public:
    DgemmOnOpenCl(const DgemmDims &dims, std::string_view spec) : dims_(dims), device_(spec) {}
    DgemmOnOpenCl(const DgemmOnOpenCl &) = delete;
    DgemmOnOpenCl &operator=(const DgemmOnOpenCl &) = delete;
    ~DgemmOnOpenCl() override { CLBlastClearCache(); } // it would keep the context for the life of the process

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return host_.c.values(); }
    Check check(std::span<const SliceResult> slices) const override { return check_dgemm(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        host_ = DgemmData(dims_, slice.rows);
        device_.check_memory({host_.a.bytes(), host_.b.bytes(), host_.c.bytes()});
        host_.fill(dims_, slice, 0, 1);
        matrices_ = {device_.make_buffer(host_.a.bytes()), device_.make_buffer(host_.b.bytes()),
                     device_.make_buffer(host_.c.bytes())};
        rows_ = static_cast<std::size_t>(slice.rows);
        if (compiled_) return;
        const std::lock_guard lock(first_call_mutex());
        run(); // compiles, for seconds
        compiled_ = true;
    }

    void run() override
    {
        OpenClCommands commands(device_.queue());
        commands.write(matrices_.a.get(), host_.a.data(), host_.a.bytes());
        commands.write(matrices_.b.get(), host_.b.data(), host_.b.bytes());
        multiply(commands);
        commands.read(matrices_.c.get(), host_.c.data(), host_.c.bytes());
        commands.finish();
    }

    void release() noexcept override
    {
        matrices_ = {};
        host_ = {};
    }

  private:
    void multiply(OpenClCommands &commands)
    {
        const auto n = static_cast<std::size_t>(dims_.n), k = static_cast<std::size_t>(dims_.k);
        auto *queue = device_.queue();
        cl_event event = nullptr;
        const auto status =
            CLBlastDgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, rows_, n, k, 1,
                         matrices_.a.get(), 0, k, matrices_.b.get(), 0, n, 0, matrices_.c.get(), 0, n, &queue, &event);
        if (status != CLBlastSuccess) fail(Status::device, "CLBlast's DGEMM failed with status ", int{status});
        commands.add(event);
    }

    DgemmDims dims_;
    OpenClDevice device_;
    DgemmData host_;
    DeviceMatrices matrices_;
    std::size_t rows_ = 0;
    bool compiled_ = false;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_dgemm_on_opencl(const DgemmDims &dims, std::string_view spec)
{
    return std::make_unique<DgemmOnOpenCl>(dims, spec);
}

} // namespace hpart
