// Made of cuda_twiddle.cu by scripts/make-ptx with clang 14.0.6.
// clang-format off
#include "out_of_card/in_card/fft_twiddle.hpp"

namespace hpart
{

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
