#include "kernels/vkfft_plan.hpp"
#include "kernels/zfft.hpp"

#include <optional>

namespace hpart
{

namespace
{

// A run takes the signal from the host and brings its transform back: that is what a split of data on the host costs.
class ZfftOnOpenCl final : public BuiltinKernel
{
  public:
    ZfftOnOpenCl(const ZfftDims &dims, std::string_view spec) : dims_(dims), device_(spec) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return host_.out.values(); }
    Check check(std::span<const SliceResult> slices) const override { return check_zfft(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        host_ = ZfftData(dims_, slice.rows);
        device_.check_memory({host_.in.bytes(), host_.in.bytes()}); // VkFFT may need as much again
        host_.fill(dims_, slice, 0, 1);
        buffer_ = device_.make_buffer(host_.in.bytes());
        // Kept until another size comes: compiling takes seconds, and some drivers go on with it in the first run.
        if (plan_ && plan_->rows() == slice.rows) return;
        plan_.emplace(device_, slice.rows, dims_.n);
        run();
    }

    void run() override
    {
        OpenClCommands commands(device_.queue());
        commands.write(buffer_.get(), host_.in.data(), host_.in.bytes());
        plan_->run(buffer_.get());
        commands.read(buffer_.get(), host_.out.data(), host_.out.bytes());
        commands.finish();
    }

    void release() noexcept override
    {
        buffer_ = {};
        host_ = {};
    }

  private:
    ZfftDims dims_;
    OpenClDevice device_;
    ZfftData host_;
    ClBuffer buffer_;
    std::optional<VkFftPlan> plan_;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_zfft_on_opencl(const ZfftDims &dims, std::string_view spec)
{
    return std::make_unique<ZfftOnOpenCl>(dims, spec);
}

} // namespace hpart
