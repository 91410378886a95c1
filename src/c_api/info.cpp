#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

using namespace hpart;
using namespace hpart::c_api;
extern "C" {
hpart_status hpart_info(hpart_report **report)
{
    return guarded([&] {
        require(report, "report");
        fail(Status::unsupported, "soon");
    });
}
}
