#include "out_of_card/in_card/gemm_opencl.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

namespace hpart
{

OpenClDefinitions gemm_definitions(Scalar type, bool transpose_a, bool transpose_b)
{
    const auto flag = [](bool value) { return value ? std::int64_t{1} : std::int64_t{0}; };
    OpenClDefinitions definitions;
    definitions.set("DOUBLE", flag(is_double(type)));
    definitions.set("COMPLEX", flag(is_complex(type)));
    definitions.set("TRANSPOSE_A", flag(transpose_a));
    definitions.set("TRANSPOSE_B", flag(transpose_b));
    return definitions;
}

void launch_first(DeviceSession &session, const Launch &launch)
{
    auto &device = session.device();
    const auto queue = device.make_queue();
    const auto event = device.launch(*queue, launch, {});
    device.flush(*queue);
    if (event->wait() != EventState::done)
        fail(Status::device, "the first launch of a kernel failed with ", event->failure());
}

std::vector<GemmKind> opencl_gemm_kinds(DeviceSession &session)
{
    auto *const device = opencl_native(session.device()).device;
    const bool is_processor = (cl_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    std::vector<GemmKind> kinds;
    if (is_processor) kinds.push_back({"blocked", make_blocked_gemm});
#ifdef HPART_HAVE_CLBLAST
    // It is tuned for devices: on processors it reaches an eighth of what vectors can do, after seconds of compiling.
    kinds.push_back({"clblast", make_clblast_gemm});
#endif
    kinds.push_back({"tiled", make_tiled_gemm});
    return kinds;
}

} // namespace hpart
