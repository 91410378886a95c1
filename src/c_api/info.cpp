#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#ifndef HPART_CORE_ONLY
#include "energy/activity.hpp"
#include "host/cores.hpp"
#include "kernels/libraries.hpp"
#include "measurement/cpu_quota.hpp"
#endif

using namespace hpart;
using namespace hpart::c_api;

namespace
{

std::string compiler()
{
#ifdef __clang__
    return __VERSION__; // begins with its name
#else
    return text("GCC ", __VERSION__);
#endif
}

Report make_info()
{
    Report info;
    info.set("version", text(HPART_VERSION_MAJOR, ".", HPART_VERSION_MINOR, ".", HPART_VERSION_PATCH));
    info.set("compiler", compiler());
#ifndef HPART_CORE_ONLY
    info.set("cores", static_cast<std::int64_t>(usable_cores().size()));
    if (const auto root = proc_root(); !root.empty())
        if (const auto quota = cpu_quota(root); quota.cores > 0) info.set("cpu_quota", quota.cores);
    for (auto &[name, about] : list_libraries()) info.set(text("library.", name), std::move(about));
#endif
    return info;
}

} // namespace

extern "C" {

hpart_status hpart_info(hpart_report **report)
{
    return guarded([&] {
        require(report, "report");
        *report = new hpart_report{make_info()};
    });
}

} // extern "C"
