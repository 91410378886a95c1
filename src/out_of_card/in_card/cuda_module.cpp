#include "out_of_card/in_card/cuda_module.hpp"

#include "core/error.hpp"

#include <limits>

namespace hpart
{

CudaModule::CudaModule(std::shared_ptr<CudaContext> context, const char *text) : context_(std::move(context))
{
    const CudaCurrent current(*context_);
    context_->check(context_->driver().module_load(&handle_, text), "cuModuleLoadData");
}

CudaModule::~CudaModule()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().module_unload(handle_);
}

CudaFunction CudaModule::function(const char *name) const
{
    const CudaCurrent current(*context_);
    CudaFunction function = nullptr;
    context_->check(context_->driver().module_function(&function, handle_, name), "cuModuleGetFunction");
    return function;
}

void CudaModule::launch(CudaFunction function, std::int64_t blocks, int threads_per_block, CudaStream stream,
                        void **parameters) const
{
    if (blocks > std::numeric_limits<int>::max())
        fail(Status::unsupported, "a kernel needs ", blocks, " blocks; CUDA takes at most ",
             std::numeric_limits<int>::max());
    context_->check(context_->driver().launch_kernel(function, static_cast<unsigned>(blocks), 1, 1,
                                                     static_cast<unsigned>(threads_per_block), 1, 1, 0, stream,
                                                     parameters, nullptr),
                    "cuLaunchKernel");
}

} // namespace hpart
