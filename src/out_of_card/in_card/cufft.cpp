#include "out_of_card/in_card/cufft.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

const char *status_name(CufftStatus status)
{
    switch (static_cast<int>(status)) {
    case 1: return "CUFFT_INVALID_PLAN";
    case 2: return "CUFFT_ALLOC_FAILED";
    case 3: return "CUFFT_INVALID_TYPE";
    case 4: return "CUFFT_INVALID_VALUE";
    case 5: return "CUFFT_INTERNAL_ERROR";
    case 6: return "CUFFT_EXEC_FAILED";
    case 7: return "CUFFT_SETUP_FAILED";
    case 8: return "CUFFT_INVALID_SIZE";
    case 9: return "CUFFT_UNALIGNED_DATA";
    case 10: return "CUFFT_INCOMPLETE_PARAMETER_LIST";
    case 11: return "CUFFT_INVALID_DEVICE";
    case 12: return "CUFFT_PARSE_ERROR";
    case 13: return "CUFFT_NO_WORKSPACE";
    case 14: return "CUFFT_NOT_IMPLEMENTED";
    case 15: return "CUFFT_LICENSE_ERROR";
    case 16: return "CUFFT_NOT_SUPPORTED";
    case 17: return "CUFFT_MISSING_DEPENDENCY";
    case 18: return "CUFFT_NVRTC_FAILURE";
    case 19: return "CUFFT_NVJITLINK_FAILURE";
    case 20: return "CUFFT_NVSHMEM_FAILURE";
    default: return "unknown cuFFT error";
    }
}

} // namespace

CufftLibrary::CufftLibrary(const CudaDriver &driver)
{
    const auto library = driver.load({"cuFFT", "libcufft", "cufftGetProperty", 10}, driver.libraries().cufft);
    name_ = library.name();
    library.bind(create, "cufftCreate");
    library.bind(destroy, "cufftDestroy");
    library.bind(set_auto_allocation, "cufftSetAutoAllocation");
    library.bind(make_plan_many, "cufftXtMakePlanMany");
    library.bind(set_stream, "cufftSetStream");
    library.bind(set_work_area, "cufftSetWorkArea");
    library.bind(execute, "cufftXtExec");
}

void CufftLibrary::check(CufftStatus status, const char *call)
{
    if (status == CufftStatus::success) return;
    fail(status == CufftStatus::alloc_failed ? Status::out_of_memory : Status::device, call, ": ", status_name(status),
         " (", static_cast<int>(status), ")");
}

namespace
{

// Calls that take memory report internal errors, too, if there is too little. Errors of a failed context are the driver's.
void check_making(const CudaContext &context, CufftStatus status, const char *call)
{
    if (status != CufftStatus::alloc_failed && status != CufftStatus::internal_error)
        return CufftLibrary::check(status, call);
    fail(Status::out_of_memory, call, ": ", status_name(status), " (", static_cast<int>(status), ")",
         status == CufftStatus::internal_error ? ", perhaps for want of memory: " : ": ", context.free_bytes(),
         " bytes of the device's memory are free");
}

} // namespace

CufftPlan::CufftPlan(std::shared_ptr<CudaContext> context, std::shared_ptr<const CufftLibrary> library,
                     const CufftLayout &layout, std::int64_t most_table_bytes)
    : context_(std::move(context)), library_(std::move(library))
{
    const CudaCurrent current(*context_);
    const auto free_before = context_->free_bytes();
    check_making(*context_, library_->create(&handle_), "cufftCreate");
    try {
        CufftLibrary::check(library_->set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
        // The sizes of the arrays matter from the second dimension on; null pointers would mean contiguous data.
        auto length = layout.length, in_size = length, out_size = length;
        std::size_t bytes = 0;
        check_making(*context_,
                     library_->make_plan_many(handle_, 1, &length, &in_size, layout.in.stride, layout.in.distance,
                                              layout.in.type, &out_size, layout.out.stride, layout.out.distance,
                                              layout.out.type, layout.batch, &bytes, layout.execution),
                     "cufftXtMakePlanMany");
        work_bytes_ = static_cast<std::int64_t>(bytes);
        table_bytes_ = std::clamp<std::int64_t>(free_before - context_->free_bytes(), 0, most_table_bytes);
    } catch (...) {
        library_->destroy(handle_);
        throw;
    }
}

CufftPlan::~CufftPlan()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) library_->destroy(handle_);
}

void CufftPlan::use(CudaStream stream, void *work_area) const
{
    CufftLibrary::check(library_->set_stream(handle_, stream), "cufftSetStream");
    if (work_bytes_ > 0) CufftLibrary::check(library_->set_work_area(handle_, work_area), "cufftSetWorkArea");
}

void CufftPlan::run(void *in, void *out, int sign) const
{
    CufftLibrary::check(library_->execute(handle_, in, out, sign), "cufftXtExec");
}

} // namespace hpart
