#include "out_of_card/in_card/fft_twiddle.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace hpart
{

CudaModule::CudaModule(std::shared_ptr<CudaContext> context, const char *text) : context_(std::move(context))
{
    const CudaCurrent current(*context_);
    context_->check(context_->driver().module_load(&handle_, text), "cuModuleLoadData");
}

CudaModule::~CudaModule()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().module_unload(handle_);
}

CudaFunction CudaModule::function(const char *name) const
{
    const CudaCurrent current(*context_);
    CudaFunction function = nullptr;
    context_->check(context_->driver().module_function(&function, handle_, name), "cuModuleGetFunction");
    return function;
}

void CudaModule::launch(CudaFunction function, std::int64_t blocks, int threads_per_block, CudaStream stream,
                        void **parameters) const
{
    if (blocks > std::numeric_limits<int>::max())
        fail(Status::unsupported, "a kernel needs ", blocks, " blocks; CUDA takes at most ",
             std::numeric_limits<int>::max());
    context_->check(context_->driver().launch_kernel(function, static_cast<unsigned>(blocks), 1, 1,
                                                     static_cast<unsigned>(threads_per_block), 1, 1, 0, stream,
                                                     parameters, nullptr),
                    "cuLaunchKernel");
}

namespace
{

// Squares of so many numbers a side go through the cache together.
constexpr std::int64_t block = 16;

template <typename Real> void put_root(std::vector<unsigned char> &bytes, std::int64_t k, long double angle, int sign)
{
    const Real root[] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(sign * std::sin(angle))};
    std::memcpy(bytes.data() + k * static_cast<std::int64_t>(sizeof root), root, sizeof root);
}

template <typename Real> struct Number {
    Real re, im;
};

template <typename Real> Number<Real> product(const Number<Real> &a, const Number<Real> &b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename Real>
void twiddle_block(const DeviceTwiddle &what, const Number<Real> *from, Number<Real> *to, const Number<Real> *roots,
                   std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns)
{
    const auto fine = fine_twiddle_roots(what.n);
    for (std::int64_t c = column; c < column + columns; ++c) {
        // The exponent, in numbers of two digits: divisions take longer than all the rest.
        const auto step = what.first + c, step_low = step % fine, step_high = step / fine;
        auto low = step * row % fine, high = step * row / fine;
        for (std::int64_t k = row; k < row + rows; ++k) {
            to[c * what.rows + k] = product(from[k * what.columns + c], product(roots[low], roots[fine + high]));
            low += step_low;
            const std::int64_t carry = low >= fine ? 1 : 0;
            low -= carry * fine;
            high += step_high + carry;
        }
    }
}

template <typename Real>
void twiddle_columns(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first,
                     std::int64_t end)
{
    for (std::int64_t c = first; c < end; c += block)
        for (std::int64_t k = 0; k < what.rows; k += block)
            twiddle_block(what, static_cast<const Number<Real> *>(from), static_cast<Number<Real> *>(to),
                          static_cast<const Number<Real> *>(roots), k, std::min(block, what.rows - k), c,
                          std::min(block, end - c));
}

} // namespace

std::int64_t fine_twiddle_roots(std::int64_t n)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n)))));
}

std::int64_t count_twiddle_roots(std::int64_t n)
{
    const auto fine = fine_twiddle_roots(n);
    return fine + (n + fine - 1) / fine;
}

std::vector<unsigned char> twiddle_roots(std::int64_t n, int sign, bool is_double)
{
    const auto fine = fine_twiddle_roots(n), count = count_twiddle_roots(n);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count * (is_double ? 16 : 8)));
    for (std::int64_t k = 0; k < count; ++k) {
        const auto exponent = static_cast<long double>(k < fine ? k : (k - fine) * fine);
        const auto angle = 2 * std::numbers::pi_v<long double> * exponent / static_cast<long double>(n);
        if (is_double)
            put_root<double>(bytes, k, angle, sign);
        else
            put_root<float>(bytes, k, angle, sign);
    }
    return bytes;
}

void twiddle_rows(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first_row,
                  std::int64_t end_row) noexcept
{
    if (what.is_double)
        twiddle_columns<double>(what, from, to, roots, first_row, end_row);
    else
        twiddle_columns<float>(what, from, to, roots, first_row, end_row);
}

// Made of cuda_twiddle.cu by scripts/make-ptx with clang 14.0.6.
// clang-format off

const char *const cuda_twiddle_ptx = R"ptx(// cuda_twiddle.cu

.version 6.0
.target sm_60
.address_size 64


.visible .entry twiddle_double(
	.param .u64 twiddle_double_param_0,
	.param .u64 twiddle_double_param_1,
	.param .u64 twiddle_double_param_2,
	.param .u64 twiddle_double_param_3,
	.param .u64 twiddle_double_param_4,
	.param .u64 twiddle_double_param_5,
	.param .u64 twiddle_double_param_6
)
{
	.reg .pred 	%p<6>;
	.reg .b32 	%r<11>;
	.reg .b64 	%rd<53>;
	.reg .f64 	%fd<17>;

	ld.param.u64 	%rd16, [twiddle_double_param_4];
	ld.param.u64 	%rd15, [twiddle_double_param_3];
	add.s64 	%rd22, %rd16, 15;
	shr.u64 	%rd4, %rd22, 4;
	mov.u32 	%r1, %ctaid.x;
	cvt.u64.u32 	%rd23, %r1;
	or.b64  	%rd24, %rd23, %rd4;
	and.b64  	%rd25, %rd24, -4294967296;
	setp.ne.s64 	%p1, %rd25, 0;
	@%p1 bra 	LBB0_2;
	bra.uni 	LBB0_1;
LBB0_2:
	div.u64 	%rd51, %rd23, %rd4;
	bra.uni 	LBB0_3;
LBB0_1:
	cvt.u32.u64 	%r2, %rd4;
	cvt.u32.u64 	%r3, %rd23;
	div.u32 	%r4, %r3, %r2;
	cvt.u64.u32 	%rd51, %r4;
LBB0_3:
	shl.b64 	%rd26, %rd51, 4;
	mov.u32 	%r5, %tid.x;
	shr.u32 	%r6, %r5, 4;
	cvt.u64.u32 	%rd27, %r6;
	add.s64 	%rd9, %rd26, %rd27;
	mul.lo.s64 	%rd28, %rd51, %rd4;
	sub.s64 	%rd29, %rd23, %rd28;
	shl.b64 	%rd30, %rd29, 4;
	and.b32  	%r7, %r5, 15;
	cvt.u64.u32 	%rd31, %r7;
	or.b64  	%rd10, %rd30, %rd31;
	setp.lt.u64 	%p2, %rd9, %rd15;
	setp.lt.u64 	%p3, %rd10, %rd16;
	and.pred  	%p4, %p2, %p3;
	@!%p4 bra 	LBB0_8;
	bra.uni 	LBB0_4;
LBB0_4:
	ld.param.u64 	%rd19, [twiddle_double_param_0];
	ld.param.u64 	%rd20, [twiddle_double_param_2];
	ld.param.u64 	%rd21, [twiddle_double_param_1];
	ld.param.u64 	%rd18, [twiddle_double_param_6];
	ld.param.u64 	%rd17, [twiddle_double_param_5];
	cvta.to.global.u64 	%rd1, %rd20;
	cvta.to.global.u64 	%rd2, %rd21;
	cvta.to.global.u64 	%rd3, %rd19;
	add.s64 	%rd32, %rd10, %rd17;
	mul.lo.s64 	%rd33, %rd32, %rd9;
	or.b64  	%rd34, %rd33, %rd18;
	and.b64  	%rd35, %rd34, -4294967296;
	setp.ne.s64 	%p5, %rd35, 0;
	@%p5 bra 	LBB0_6;
	bra.uni 	LBB0_5;
LBB0_6:
	div.u64 	%rd52, %rd33, %rd18;
	bra.uni 	LBB0_7;
LBB0_5:
	cvt.u32.u64 	%r8, %rd18;
	cvt.u32.u64 	%r9, %rd33;
	div.u32 	%r10, %r9, %r8;
	cvt.u64.u32 	%rd52, %r10;
LBB0_7:
	mul.lo.s64 	%rd36, %rd52, %rd18;
	sub.s64 	%rd37, %rd33, %rd36;
	add.s64 	%rd38, %rd52, %rd18;
	shl.b64 	%rd39, %rd37, 4;
	add.s64 	%rd40, %rd1, %rd39;
	ld.global.v2.f64 	{%fd1, %fd2}, [%rd40];
	shl.b64 	%rd41, %rd38, 4;
	add.s64 	%rd42, %rd1, %rd41;
	ld.global.v2.f64 	{%fd3, %fd4}, [%rd42];
	mul.f64 	%fd5, %fd2, %fd4;
	neg.f64 	%fd6, %fd5;
	fma.rn.f64 	%fd7, %fd1, %fd3, %fd6;
	mul.f64 	%fd8, %fd1, %fd4;
	fma.rn.f64 	%fd9, %fd3, %fd2, %fd8;
	mul.lo.s64 	%rd43, %rd9, %rd16;
	add.s64 	%rd44, %rd43, %rd10;
	shl.b64 	%rd45, %rd44, 4;
	add.s64 	%rd46, %rd3, %rd45;
	ld.global.v2.f64 	{%fd10, %fd11}, [%rd46];
	mul.f64 	%fd12, %fd11, %fd9;
	neg.f64 	%fd13, %fd12;
	fma.rn.f64 	%fd14, %fd10, %fd7, %fd13;
	mul.f64 	%fd15, %fd10, %fd9;
	fma.rn.f64 	%fd16, %fd7, %fd11, %fd15;
	mul.lo.s64 	%rd47, %rd10, %rd15;
	add.s64 	%rd48, %rd47, %rd9;
	shl.b64 	%rd49, %rd48, 4;
	add.s64 	%rd50, %rd2, %rd49;
	st.global.v2.f64 	[%rd50], {%fd14, %fd16};
LBB0_8:
	ret;

}
.visible .entry twiddle_float(
	.param .u64 twiddle_float_param_0,
	.param .u64 twiddle_float_param_1,
	.param .u64 twiddle_float_param_2,
	.param .u64 twiddle_float_param_3,
	.param .u64 twiddle_float_param_4,
	.param .u64 twiddle_float_param_5,
	.param .u64 twiddle_float_param_6
)
{
	.reg .pred 	%p<6>;
	.reg .b32 	%r<11>;
	.reg .f32 	%f<17>;
	.reg .b64 	%rd<53>;

	ld.param.u64 	%rd16, [twiddle_float_param_4];
	ld.param.u64 	%rd15, [twiddle_float_param_3];
	add.s64 	%rd22, %rd16, 15;
	shr.u64 	%rd4, %rd22, 4;
	mov.u32 	%r1, %ctaid.x;
	cvt.u64.u32 	%rd23, %r1;
	or.b64  	%rd24, %rd23, %rd4;
	and.b64  	%rd25, %rd24, -4294967296;
	setp.ne.s64 	%p1, %rd25, 0;
	@%p1 bra 	LBB1_2;
	bra.uni 	LBB1_1;
LBB1_2:
	div.u64 	%rd51, %rd23, %rd4;
	bra.uni 	LBB1_3;
LBB1_1:
	cvt.u32.u64 	%r2, %rd4;
	cvt.u32.u64 	%r3, %rd23;
	div.u32 	%r4, %r3, %r2;
	cvt.u64.u32 	%rd51, %r4;
LBB1_3:
	shl.b64 	%rd26, %rd51, 4;
	mov.u32 	%r5, %tid.x;
	shr.u32 	%r6, %r5, 4;
	cvt.u64.u32 	%rd27, %r6;
	add.s64 	%rd9, %rd26, %rd27;
	mul.lo.s64 	%rd28, %rd51, %rd4;
	sub.s64 	%rd29, %rd23, %rd28;
	shl.b64 	%rd30, %rd29, 4;
	and.b32  	%r7, %r5, 15;
	cvt.u64.u32 	%rd31, %r7;
	or.b64  	%rd10, %rd30, %rd31;
	setp.lt.u64 	%p2, %rd9, %rd15;
	setp.lt.u64 	%p3, %rd10, %rd16;
	and.pred  	%p4, %p2, %p3;
	@!%p4 bra 	LBB1_8;
	bra.uni 	LBB1_4;
LBB1_4:
	ld.param.u64 	%rd19, [twiddle_float_param_0];
	ld.param.u64 	%rd20, [twiddle_float_param_2];
	ld.param.u64 	%rd21, [twiddle_float_param_1];
	ld.param.u64 	%rd18, [twiddle_float_param_6];
	ld.param.u64 	%rd17, [twiddle_float_param_5];
	cvta.to.global.u64 	%rd1, %rd20;
	cvta.to.global.u64 	%rd2, %rd21;
	cvta.to.global.u64 	%rd3, %rd19;
	add.s64 	%rd32, %rd10, %rd17;
	mul.lo.s64 	%rd33, %rd32, %rd9;
	or.b64  	%rd34, %rd33, %rd18;
	and.b64  	%rd35, %rd34, -4294967296;
	setp.ne.s64 	%p5, %rd35, 0;
	@%p5 bra 	LBB1_6;
	bra.uni 	LBB1_5;
LBB1_6:
	div.u64 	%rd52, %rd33, %rd18;
	bra.uni 	LBB1_7;
LBB1_5:
	cvt.u32.u64 	%r8, %rd18;
	cvt.u32.u64 	%r9, %rd33;
	div.u32 	%r10, %r9, %r8;
	cvt.u64.u32 	%rd52, %r10;
LBB1_7:
	mul.lo.s64 	%rd36, %rd52, %rd18;
	sub.s64 	%rd37, %rd33, %rd36;
	add.s64 	%rd38, %rd52, %rd18;
	shl.b64 	%rd39, %rd37, 3;
	add.s64 	%rd40, %rd1, %rd39;
	ld.global.v2.f32 	{%f1, %f2}, [%rd40];
	shl.b64 	%rd41, %rd38, 3;
	add.s64 	%rd42, %rd1, %rd41;
	ld.global.v2.f32 	{%f3, %f4}, [%rd42];
	mul.f32 	%f5, %f2, %f4;
	neg.f32 	%f6, %f5;
	fma.rn.f32 	%f7, %f1, %f3, %f6;
	mul.f32 	%f8, %f1, %f4;
	fma.rn.f32 	%f9, %f3, %f2, %f8;
	mul.lo.s64 	%rd43, %rd9, %rd16;
	add.s64 	%rd44, %rd43, %rd10;
	shl.b64 	%rd45, %rd44, 3;
	add.s64 	%rd46, %rd3, %rd45;
	ld.global.v2.f32 	{%f10, %f11}, [%rd46];
	mul.f32 	%f12, %f11, %f9;
	neg.f32 	%f13, %f12;
	fma.rn.f32 	%f14, %f10, %f7, %f13;
	mul.f32 	%f15, %f10, %f9;
	fma.rn.f32 	%f16, %f7, %f11, %f15;
	mul.lo.s64 	%rd47, %rd10, %rd15;
	add.s64 	%rd48, %rd47, %rd9;
	shl.b64 	%rd49, %rd48, 3;
	add.s64 	%rd50, %rd2, %rd49;
	st.global.v2.f32 	[%rd50], {%f14, %f16};
LBB1_8:
	ret;

}
)ptx";

} // namespace hpart
