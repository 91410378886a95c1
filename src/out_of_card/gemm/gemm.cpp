#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/arguments.hpp"
#include "out_of_card/gemm/host_gemm.hpp"

namespace hpart
{

void gemm(Cards & /*cards*/, const GemmCall &call, const Options & /*options*/, Report &report)
{
    check_arguments(call);
    report.set("method", std::string("host"));
    if (!done_without_operands(call)) gemm_on_host(call);
}

void gemv(Cards & /*cards*/, const GemvCall &call, const Options & /*options*/, Report &report)
{
    check_arguments(call);
    report.set("method", std::string("host"));
    if (!done_without_operands(call)) gemv_on_host(call);
}

} // namespace hpart
