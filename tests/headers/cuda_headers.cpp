// The declarations of src/out_of_card/devices/cuda_driver.hpp against those of NVIDIA's cuda.h: compiles if they agree.
#include <cuda.h>

#include "out_of_card/devices/cuda_driver.hpp"

#include <string_view>
#include <type_traits>

namespace hpart
{

// NVIDIA's type for one of ours. Handles are pointers to the same structures, once cuda.h is there.
template <typename Ours> struct RealOf {
    using type = Ours;
};
template <> struct RealOf<CudaResult> {
    using type = CUresult;
};
template <> struct RealOf<CudaAttribute> {
    using type = CUdevice_attribute;
};
template <> struct RealOf<CudaRectangleCopy> {
    using type = CUDA_MEMCPY2D;
};
template <typename Ours> using Real = typename RealOf<Ours>::type;
template <typename Ours> struct RealOf<const Ours> {
    using type = const Real<Ours>;
};
template <typename Ours> struct RealOf<Ours *> {
    using type = Real<Ours> *;
};
template <typename Result, typename... Parameters> struct RealOf<Result (*)(Parameters...)> {
    using type = Real<Result> (*)(Real<Parameters>...);
};

#define AGREES(member, symbol, ...)                                                                                    \
    static_assert(std::is_same_v<Real<decltype(CudaDriver::member)>, decltype(&symbol)>, #symbol);
HPART_CUDA_DRIVER_FUNCTIONS(AGREES)

// The header maps the names of calls to those of their newest entries, by macros.
#define TEXT_OF(symbol) #symbol
#define EXPANDED(symbol) TEXT_OF(symbol)
constexpr bool is_newest(std::string_view ours, std::string_view real)
{
    return ours == real || ours == "cuEventElapsedTime"; // the driver asks for the newer one too
}
#define IS_NEWEST(member, symbol, ...) static_assert(is_newest(TEXT_OF(symbol), EXPANDED(symbol)), TEXT_OF(symbol));
HPART_CUDA_DRIVER_FUNCTIONS(IS_NEWEST)

#define SAME_PLACE(ours, real)                                                                                         \
    static_assert(offsetof(CudaRectangleCopy, ours) == offsetof(CUDA_MEMCPY2D, real) &&                                \
                      sizeof(CudaRectangleCopy::ours) == sizeof(CUDA_MEMCPY2D::real),                                  \
                  #ours);
SAME_PLACE(source_x_bytes, srcXInBytes)
SAME_PLACE(source_y, srcY)
SAME_PLACE(source_type, srcMemoryType)
SAME_PLACE(source_host, srcHost)
SAME_PLACE(source_device, srcDevice)
SAME_PLACE(source_array, srcArray)
SAME_PLACE(source_pitch, srcPitch)
SAME_PLACE(target_x_bytes, dstXInBytes)
SAME_PLACE(target_y, dstY)
SAME_PLACE(target_type, dstMemoryType)
SAME_PLACE(target_host, dstHost)
SAME_PLACE(target_device, dstDevice)
SAME_PLACE(target_array, dstArray)
SAME_PLACE(target_pitch, dstPitch)
SAME_PLACE(width_bytes, WidthInBytes)
SAME_PLACE(height, Height)
static_assert(sizeof(CudaRectangleCopy) == sizeof(CUDA_MEMCPY2D));

#define SAME_CODE(ours, real) static_assert(static_cast<int>(ours) == static_cast<int>(real), #ours);
SAME_CODE(CudaResult::invalid_value, CUDA_ERROR_INVALID_VALUE)
SAME_CODE(CudaResult::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY)
SAME_CODE(CudaResult::stub_library, CUDA_ERROR_STUB_LIBRARY)
SAME_CODE(CudaResult::no_device, CUDA_ERROR_NO_DEVICE)
SAME_CODE(CudaResult::not_ready, CUDA_ERROR_NOT_READY)
SAME_CODE(CudaAttribute::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
SAME_CODE(CudaAttribute::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED)
SAME_CODE(CudaAttribute::pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
SAME_CODE(CudaMemoryType::host, CU_MEMORYTYPE_HOST)
SAME_CODE(CudaMemoryType::device, CU_MEMORYTYPE_DEVICE)
SAME_CODE(cuda_stream_non_blocking, CU_STREAM_NON_BLOCKING)
SAME_CODE(cuda_event_blocking_sync, CU_EVENT_BLOCKING_SYNC)
SAME_CODE(cuda_host_alloc_portable, CU_MEMHOSTALLOC_PORTABLE)

} // namespace hpart
