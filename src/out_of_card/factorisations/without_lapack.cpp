#include "core/error.hpp"
#include "out_of_card/factorisations/factorisations.hpp"

namespace hpart
{

namespace
{
[[noreturn]] void refuse()
{
    fail(Status::unsupported, "this build has no factorisations: they need OpenBLAS and LAPACKE");
}
} // namespace

void syrk(Cards &, const SyrkCall &, const Options &, Report &) { refuse(); }
void trsm(Cards &, const TrsmCall &, const Options &, Report &) { refuse(); }
void getrf(Cards &, const HostMatrix &, std::int64_t *, const Options &, Report &) { refuse(); }
void potrf(Cards &, Triangle, const HostMatrix &, const Options &, Report &) { refuse(); }
void geqrf(Cards &, const HostMatrix &, void *, const Options &, Report &) { refuse(); }
void gesv(Cards &, const HostMatrix &, std::int64_t *, const HostMatrix &, const Options &, Report &) { refuse(); }
void posv(Cards &, Triangle, const HostMatrix &, const HostMatrix &, const Options &, Report &) { refuse(); }
void gels(Cards &, Transpose, const HostMatrix &, const HostMatrix &, const Options &, Report &) { refuse(); }

} // namespace hpart
