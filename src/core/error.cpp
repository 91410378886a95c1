#include "core/error.hpp"

namespace hpart
{

const char *status_text(Status status) noexcept
{
    switch (status) {
#define HPART_STATUS_CASE(name, constant, value, text)                                                                 \
    case Status::name: return text;
        HPART_STATUS_LIST(HPART_STATUS_CASE)
#undef HPART_STATUS_CASE
    }
    return "unknown status";
}

} // namespace hpart
