#include "out_of_card/devices/cuda_context.hpp"

#include "core/error.hpp"

namespace hpart
{

CudaContext::CudaContext(const CudaLibraries &libraries, std::int64_t number) : driver_(libraries)
{
    int count = 0;
    check(driver_.device_count(&count), "cuDeviceGetCount");
    if (number < 0 || number >= count)
        fail(Status::device, "cuda:", number, " is not there; the CUDA driver finds ", count,
             count == 1 ? " device, cuda:0" : " devices, counted from cuda:0");
    check(driver_.device_get(&device_, static_cast<int>(number)), "cuDeviceGet");
    check(driver_.primary_context_retain(&handle_, device_), "cuDevicePrimaryCtxRetain");
}

CudaContext::~CudaContext() { driver_.primary_context_release(device_); }

int CudaContext::attribute(CudaAttribute attribute) const
{
    int value = 0;
    return driver_.device_attribute(&value, attribute, device_) == CudaResult::success ? value : 0;
}

std::int64_t CudaContext::free_bytes() const
{
    std::size_t free = 0, total = 0;
    check(driver_.memory_info(&free, &total), "cuMemGetInfo");
    return static_cast<std::int64_t>(free);
}

void CudaContext::note_failure(CudaResult result)
{
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failure_ = driver_.error_name(result);
    failed_ = true;
}

std::string CudaContext::failure() const
{
    const std::lock_guard lock(mutex_);
    return failure_;
}

void CudaContext::check_usable() const
{
    if (failed_) fail(Status::device, "the CUDA device is of no more use after ", failure());
}

CudaCurrent::CudaCurrent(const CudaContext &context) : context_(context), pushed_(true)
{
    context.check(context.driver().push_current(context.handle()), "cuCtxPushCurrent");
}

CudaCurrent::CudaCurrent(const CudaContext &context, std::nothrow_t) noexcept
    : context_(context), pushed_(context.driver().push_current(context.handle()) == CudaResult::success)
{
}

CudaCurrent::~CudaCurrent()
{
    CudaContextHandle popped = nullptr;
    if (pushed_) context_.driver().pop_current(&popped);
}

} // namespace hpart
