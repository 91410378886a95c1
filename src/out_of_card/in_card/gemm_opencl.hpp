// Definitions and arguments that our own OpenCL products share.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <concepts>

namespace hpart
{

constexpr std::int64_t parts_of(Scalar type) { return is_complex(type) ? 2 : 1; }
constexpr std::int64_t real_bytes_of(Scalar type) { return is_double(type) ? 8 : 4; }

// DOUBLE, COMPLEX, TRANSPOSE_A, TRANSPOSE_B
OpenClDefinitions gemm_definitions(Scalar type, bool transpose_a, bool transpose_b);

// The kernels take m, n, k, arguments of their own, the operands, alpha, beta, the signs of imaginary parts where op(B) is
// read and of the sums, what becomes of C's old values, and the part that is asked for: conj(A) op(B) is the conjugate of
// A conj(op(B)).
template <std::floating_point Real, typename... Own>
void launch_gemm(OpenClKernel &kernel, LaunchContext &context, const OpenClRange &range, Scalar type,
                 const DeviceGemm &what, const Own &...own)
{
    const auto real = [](double value) { return static_cast<Real>(value); };
    const auto imaginary = [type](double value) { return is_complex(type) ? static_cast<Real>(value) : Real{0}; };
    const Real beta_re = real(what.beta.real()), beta_im = imaginary(what.beta.imag());
    constexpr cl_int dropped = 0, kept = 1, scaled = 2; // the kernels' words
    const cl_int old = beta_im != 0 ? scaled : beta_re == 0 ? dropped : beta_re == 1 ? kept : scaled;
    const auto part = static_cast<cl_int>(what.part);
    const bool conjugate_a = what.transpose_a == Transpose::conjugate;
    const bool conjugate_b = what.transpose_b == Transpose::conjugate;
    const auto sign = [](bool negative) { return negative ? Real{-1} : Real{1}; };
    kernel.launch(context, range, cl_long{what.m}, cl_long{what.n}, cl_long{what.k}, own...,
                  opencl_native(*what.a.buffer), cl_long{what.a.offset}, cl_long{what.a.ld},
                  opencl_native(*what.b.buffer), cl_long{what.b.offset}, cl_long{what.b.ld},
                  opencl_native(*what.c.buffer), cl_long{what.c.offset}, cl_long{what.c.ld}, real(what.alpha.real()),
                  imaginary(what.alpha.imag()), beta_re, beta_im, sign(conjugate_a != conjugate_b), sign(conjugate_a),
                  old, part);
}

// A launch that owns the kernel.
template <typename... Own>
Launch gemm_launch(std::shared_ptr<OpenClKernel> kernel, const OpenClRange &range, Scalar type, const DeviceGemm &what,
                   const Own &...own)
{
    return [kernel = std::move(kernel), range, type, what, own...](LaunchContext &context) {
        if (is_double(type))
            launch_gemm<cl_double>(*kernel, context, range, type, what, own...);
        else
            launch_gemm<cl_float>(*kernel, context, range, type, what, own...);
    };
}

// Launches one group that computes nothing, and waits for its end: some drivers, PoCL's among them, put off a part of compiling
// to a kernel's first launch.
void launch_first(DeviceSession &session, const Launch &launch);

// A kernel a pair of transposes, each compiled and launched first when it is first asked for. Own are the kernel's own
// arguments.
class GemmVariants
{
  public:
    template <typename... Own, typename Compile>
    std::shared_ptr<OpenClKernel> get(DeviceSession &session, Scalar type, const DeviceGemm &what,
                                      const std::array<std::size_t, 2> &group_items, const Compile &compile)
    {
        const bool transpose_a = what.transpose_a != Transpose::none, transpose_b = what.transpose_b != Transpose::none;
        const std::lock_guard lock(mutex_);
        auto &kernel = kernels_[transpose_a ? 1 : 0][transpose_b ? 1 : 0];
        if (kernel) return kernel;
        return kernel = session.set_up([&] {
            auto made = compile(transpose_a, transpose_b);
            auto nothing = what;
            nothing.m = nothing.n = nothing.k = 0;
            launch_first(session, gemm_launch(made, {{1, 1, 1}, group_items}, type, nothing, Own{}...));
            return made;
        });
    }

  private:
    std::mutex mutex_;
    std::shared_ptr<OpenClKernel> kernels_[2][2];
};

} // namespace hpart
