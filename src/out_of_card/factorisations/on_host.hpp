// Work on the host: the BLAS and LAPACK, and work element by element. Matrices of one call have one type and, unless noted, one
// layout.
#pragma once

#include "host/thread_group.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/gemm/plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace hpart
{

struct SyrkShape {
    bool hermitian = false;
    Transpose transpose = Transpose::none; // of A
};

struct SymmShape {
    Triangle triangle = Triangle::lower;
    bool hermitian = false;
};

struct TrsmShape {
    Triangle triangle = Triangle::lower;
    Transpose transpose = Transpose::none; // of A
    bool unit_diagonal = false;
};

namespace on_host
{

// C = alpha op(A) op(B) + beta C.
void multiply(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c);
// The same of the lower triangle only.
void multiply_to_triangle(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c);
// C = alpha op(A) op(A)^T (or its conjugate) + beta C, of the lower triangle.
void update_triangle(const SyrkShape &shape, Coefficient alpha, const HostMatrix &a, Coefficient beta,
                     const HostMatrix &c);
// C = alpha A B + beta C, A symmetric or Hermitian.
void multiply_symmetric(const SymmShape &shape, Coefficient alpha, const HostMatrix &a, const HostMatrix &b,
                        Coefficient beta, const HostMatrix &c);
// B = op(A)^-1 B.
void solve_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// B = op(A) B.
void multiply_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// The lower triangle L becomes L^-1; or L^H L.
void invert_triangle(const HostMatrix &a);
void multiply_by_adjoint(const HostMatrix &a);
// LAPACK's routines want columns contiguous: work on a row-major panel is on a copy, whose memory is kept for the next panel.
class PanelByColumns
{
  public:
    template <typename Work> auto use(const HostMatrix &panel, const Work &work)
    {
        if (!panel.row_major) return work(panel);
        const auto columns = copy_of(panel);
        if constexpr (std::is_void_v<decltype(work(panel))>) {
            work(columns);
            copy_all(columns, panel);
        } else {
            const auto result = work(columns);
            copy_all(columns, panel);
            return result;
        }
    }

  private:
    HostMatrix copy_of(const HostMatrix &panel);
    void copy_all(const HostMatrix &from, const HostMatrix &to);

    std::unique_ptr<unsigned char[]> memory_;
    std::int64_t bytes_ = 0;
    OwnThreads threads_;
};

// These two return LAPACK's info; LU's is first_unusable of U. Cholesky takes the lower triangle.
std::int64_t factor_lu(const HostMatrix &a, std::span<std::int64_t> pivots);
std::int64_t factor_cholesky(const HostMatrix &a);
// `a` has at least as many rows as columns; t becomes the upper triangle T of Q = I - V T V^H, with its zeros. tau is T's
// diagonal.
void factor_qr(const HostMatrix &a, const HostMatrix &t);
// By reflectors that nothing else is to be multiplied with.
void factor_qr(const HostMatrix &a, void *tau);

// The two may differ in layout.
void copy(const HostMatrix &source, const HostMatrix &target);
// The lower triangle; a Hermitian one's diagonal is real.
void copy_lower(const HostMatrix &source, const HostMatrix &target, bool hermitian = false);
// A = factor A; zeros for 0, whatever A is.
void scale(Coefficient factor, const HostMatrix &a);
// And of the lower triangle.
void scale_lower(Coefficient factor, const HostMatrix &a);
void conjugate(const HostMatrix &a);
void make_diagonal_real(const HostMatrix &a);
// These columns become the identity's.
void make_identity(const HostMatrix &a, std::int64_t first, std::int64_t columns);
// The largest sum of magnitudes of a row of a triangle; NaN where there is one.
double norm_of_rows(Triangle triangle, bool unit_diagonal, const HostMatrix &matrix);
// 0, or the first element of the diagonal, counted from 1, that nothing can be divided by: zero, a subnormal number, whose
// reciprocal overflows, or NaN.
std::int64_t first_unusable(const HostMatrix &a);
// Exchanges row first + k with row pivots[k] - 1, for k = 0, 1, ... or the other way round.
void swap_rows(const HostMatrix &matrix, std::span<const std::int64_t> pivots, bool forward = true,
               std::int64_t first = 0);
// V, the unit lower trapezium below the diagonal of `a`, with its zeros and ones. The two may differ in layout.
void make_v_explicit(const HostMatrix &a, const HostMatrix &v);
// Moves the elements below the diagonal; zeros stay.
void take_below_diagonal(const HostMatrix &a, const HostMatrix &to);
// T of reflectors V, from V^H V and tau[first], tau[first + 1], ...: column j is -tau_j T (V^H v_j), for the columns before it.
void make_reflector_triangle(const HostMatrix &products, const void *tau, std::int64_t first,
                             const HostMatrix &triangle);
// tau[first], ... become T's diagonal.
void take_tau(const HostMatrix &t, std::int64_t first, void *tau);

} // namespace on_host

// Rates at which the host factors panels, and small matrices whole; and the predicted times of a left-looking method, from these and
// the rates of device and link. The widths of panels depend on them.

// Operations of the host's part of an LU or QR factorisation of rows x columns, rows >= columns; for Cholesky, of the square.
double panel_flops(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns);

// Rates in flop/s; zeros where the host has no panels.
struct HostPanels {
    double narrow = 0, wide = 0; // of panels
    double whole = 0;            // of squares, with all threads and nothing else to do

    double seconds(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const;
    double seconds_of_square(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const;
};

// Under which name a session keeps them.
std::string name_of_host_panels(StepKind method, Scalar type);
// Measured at the first call for this device, in some milliseconds; kept with the device. The device's in_use is held.
HostPanels measured_host_panels(DeviceSession &session, StepKind method, Scalar type);

// Kernels of this device and the BLAS want the same cores: then panels that are factored meanwhile take one.
inline bool competes_with_host(const DeviceSession &session)
{
    return session.info().on_host_cores && session.info().backend != Backend::host;
}

// Seconds of a panel of rows x width on the device: width column_seconds + rows width^2 / rate.
struct DevicePanelRates {
    double column_seconds = 0, rate = 0;
    double seconds(std::int64_t rows, std::int64_t width) const
    {
        const auto columns = static_cast<double>(width);
        return columns * column_seconds + static_cast<double>(rows) * columns * columns / rate;
    }
};

struct LeftLookingModel {
    FactorisationStep problem;
    DeviceModel device;
    HostPanels host;
    std::optional<DevicePanelRates> device_panels = {};
    bool competes_with_host = false; // for the machine's cores
    bool by_rows = false;            // Cholesky
    std::int64_t cores = 1;
};

double predicted_seconds(const LeftLookingModel &model, const LeftLookingShape &shape);

// The largest width of the last panel at which the host, which factors it with all its threads while nothing else is to be done,
// is no later than the panels of it one by one.
std::int64_t columns_left_to_host(const LeftLookingModel &model, const LeftLookingShape &shape);

} // namespace hpart
