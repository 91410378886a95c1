#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#endif
#ifdef FAKE_CUDA_LIBRARY
#include "out_of_card/devices/cuda_device.hpp"
#endif

namespace support
{

using namespace hpart;

const std::vector<BackendCase> &backend_cases()
{
    static const auto cases = [] {
        std::vector<BackendCase> all = {{"host", [] { return make_host_device(); }}};
        [[maybe_unused]] const bool has_opencl = !list_opencl_devices().empty();
#ifdef HPART_HAVE_OPENCL
        all.push_back({"opencl_whole", [] { return make_opencl_device("opencl:0:0"); }, has_opencl});
        all.push_back({"opencl_unit", [] { return make_opencl_device("opencl:0:0:0"); }, has_opencl});
        all.push_back({"opencl_as_device", [] { return make_opencl_device("opencl:0:0", {true}); }, has_opencl});
#endif
        return all;
    }();
    return cases;
}

const std::vector<BackendCase> &backend_cases_without_gates()
{
    static const auto cases = [] {
        std::vector<BackendCase> all;
#ifdef FAKE_CUDA_LIBRARY
        const CudaLibraries libraries{FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY};
        all.push_back({"cuda_on_host", [libraries] { return make_cuda_device(0, libraries); }});
#endif
        return all;
    }();
    return cases;
}

} // namespace support
