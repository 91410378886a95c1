#include "core/error.hpp"
#include "out_of_card/factorisations/factorisations.hpp"

namespace hpart
{

namespace
{
[[noreturn]] void refuse()
{
    fail(Status::unsupported, "this build has no factorisations: they need OpenBLAS with LAPACK");
}
} // namespace

void syrk(DeviceGroup &, const SyrkCall &, const Options &, Report &) { refuse(); }
void trsm(DeviceGroup &, const TrsmCall &, const Options &, Report &) { refuse(); }
void trmm(DeviceGroup &, const TrsmCall &, const Options &, Report &) { refuse(); }
void symm(DeviceGroup &, const SymmCall &, const Options &, Report &) { refuse(); }
void gemmt(DeviceGroup &, const GemmtCall &, const Options &, Report &) { refuse(); }
void syr2k(DeviceGroup &, const GemmtCall &, bool, const Options &, Report &) { refuse(); }
void gemm_strided_batched(DeviceGroup &, const GemmBatch &, const Options &, Report &) { refuse(); }
void getrf(DeviceGroup &, const HostMatrix &, std::int64_t *, const Options &, Report &) { refuse(); }
void potrf(DeviceGroup &, Triangle, const HostMatrix &, const Options &, Report &) { refuse(); }
void geqrf(DeviceGroup &, const HostMatrix &, void *, const Options &, Report &) { refuse(); }
void getrs(DeviceGroup &, Transpose, const HostMatrix &, std::span<const std::int64_t>, const HostMatrix &,
           const Options &, Report &)
{
    refuse();
}
void potrs(DeviceGroup &, Triangle, const HostMatrix &, const HostMatrix &, const Options &, Report &) { refuse(); }
void getri(DeviceGroup &, const HostMatrix &, std::span<const std::int64_t>, const Options &, Report &) { refuse(); }
void potri(DeviceGroup &, Triangle, const HostMatrix &, const Options &, Report &) { refuse(); }
void ormqr(DeviceGroup &, Side, Transpose, const HostMatrix &, const void *, const HostMatrix &, const Options &,
           Report &)
{
    refuse();
}
void orgqr(DeviceGroup &, std::int64_t, const HostMatrix &, const void *, const Options &, Report &) { refuse(); }
void gesv(DeviceGroup &, const HostMatrix &, std::int64_t *, const HostMatrix &, const Options &, Report &)
{
    refuse();
}
void posv(DeviceGroup &, Triangle, const HostMatrix &, const HostMatrix &, const Options &, Report &) { refuse(); }
void gels(DeviceGroup &, Transpose, const HostMatrix &, const HostMatrix &, const Options &, Report &) { refuse(); }

} // namespace hpart
