// Made of cuda_kernels.cu by scripts/make-ptx with clang 14.0.6.
// clang-format off
#include "out_of_card/devices/cuda_driver.hpp"

namespace hpart
{

const char *const cuda_kernels_ptx = R"ptx(// cuda_kernels.cu

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
.visible .entry swap_rows_4(
	.param .u64 swap_rows_4_param_0,
	.param .u64 swap_rows_4_param_1,
	.param .u64 swap_rows_4_param_2,
	.param .u64 swap_rows_4_param_3,
	.param .u64 swap_rows_4_param_4,
	.param .u64 swap_rows_4_param_5
)
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<83>;

	ld.param.u64 	%rd35, [swap_rows_4_param_3];
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd36, %r1, 64;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd37, %r2;
	add.s64 	%rd3, %rd36, %rd37;
	setp.ge.u64 	%p1, %rd3, %rd35;
	@%p1 bra 	LBB2_9;
	ld.param.u64 	%rd30, [swap_rows_4_param_2];
	setp.eq.s64 	%p2, %rd30, 0;
	@%p2 bra 	LBB2_9;
	ld.param.u64 	%rd32, [swap_rows_4_param_5];
	ld.param.u64 	%rd31, [swap_rows_4_param_4];
	ld.param.u64 	%rd33, [swap_rows_4_param_0];
	ld.param.u64 	%rd34, [swap_rows_4_param_1];
	cvta.to.global.u64 	%rd1, %rd34;
	cvta.to.global.u64 	%rd2, %rd33;
	mul.lo.s64 	%rd4, %rd3, %rd32;
	shl.b64 	%rd38, %rd4, 2;
	add.s64 	%rd5, %rd2, %rd38;
	add.s64 	%rd40, %rd30, -1;
	and.b64  	%rd80, %rd30, 3;
	setp.lt.u64 	%p3, %rd40, 3;
	mov.u64 	%rd79, 0;
	shl.b64 	%rd75, %rd31, 2;
	@%p3 bra 	LBB2_6;
	and.b64  	%rd42, %rd30, -4;
	neg.s64 	%rd7, %rd42;
	shl.b64 	%rd8, %rd31, 4;
	add.s64 	%rd76, %rd1, 16;
	mul.lo.s64 	%rd11, %rd31, 12;
	shl.b64 	%rd12, %rd31, 3;
	mov.u64 	%rd78, 0;
	mov.u64 	%rd77, %rd5;
LBB2_4:
	ld.global.u64 	%rd43, [%rd76+-16];
	add.s64 	%rd44, %rd43, -1;
	mul.lo.s64 	%rd45, %rd44, %rd31;
	shl.b64 	%rd46, %rd45, 2;
	add.s64 	%rd47, %rd5, %rd46;
	ld.global.u32 	%r3, [%rd77];
	ld.global.u32 	%r4, [%rd47];
	st.global.u32 	[%rd77], %r4;
	st.global.u32 	[%rd47], %r3;
	add.s64 	%rd48, %rd77, %rd75;
	ld.global.u64 	%rd49, [%rd76+-8];
	add.s64 	%rd50, %rd49, -1;
	mul.lo.s64 	%rd51, %rd50, %rd31;
	shl.b64 	%rd52, %rd51, 2;
	add.s64 	%rd53, %rd5, %rd52;
	ld.global.u32 	%r5, [%rd48];
	ld.global.u32 	%r6, [%rd53];
	st.global.u32 	[%rd48], %r6;
	st.global.u32 	[%rd53], %r5;
	add.s64 	%rd54, %rd77, %rd12;
	ld.global.u64 	%rd55, [%rd76];
	add.s64 	%rd56, %rd55, -1;
	mul.lo.s64 	%rd57, %rd56, %rd31;
	shl.b64 	%rd58, %rd57, 2;
	add.s64 	%rd59, %rd5, %rd58;
	ld.global.u32 	%r7, [%rd54];
	ld.global.u32 	%r8, [%rd59];
	st.global.u32 	[%rd54], %r8;
	st.global.u32 	[%rd59], %r7;
	add.s64 	%rd60, %rd77, %rd11;
	ld.global.u64 	%rd61, [%rd76+8];
	add.s64 	%rd62, %rd61, -1;
	mul.lo.s64 	%rd63, %rd62, %rd31;
	shl.b64 	%rd64, %rd63, 2;
	add.s64 	%rd65, %rd5, %rd64;
	ld.global.u32 	%r9, [%rd60];
	ld.global.u32 	%r10, [%rd65];
	st.global.u32 	[%rd60], %r10;
	st.global.u32 	[%rd65], %r9;
	add.s64 	%rd78, %rd78, -4;
	add.s64 	%rd77, %rd77, %rd8;
	add.s64 	%rd76, %rd76, 32;
	setp.ne.s64 	%p4, %rd7, %rd78;
	@%p4 bra 	LBB2_4;
	neg.s64 	%rd79, %rd7;
LBB2_6:
	setp.eq.s64 	%p5, %rd80, 0;
	@%p5 bra 	LBB2_9;
	shl.b64 	%rd66, %rd79, 3;
	add.s64 	%rd82, %rd1, %rd66;
	mul.lo.s64 	%rd67, %rd79, %rd31;
	add.s64 	%rd68, %rd67, %rd4;
	shl.b64 	%rd69, %rd68, 2;
	add.s64 	%rd81, %rd2, %rd69;
LBB2_8:
	.pragma "nounroll";
	ld.global.u64 	%rd70, [%rd82];
	add.s64 	%rd71, %rd70, -1;
	mul.lo.s64 	%rd72, %rd71, %rd31;
	shl.b64 	%rd73, %rd72, 2;
	add.s64 	%rd74, %rd5, %rd73;
	ld.global.u32 	%r11, [%rd81];
	ld.global.u32 	%r12, [%rd74];
	st.global.u32 	[%rd81], %r12;
	st.global.u32 	[%rd74], %r11;
	add.s64 	%rd82, %rd82, 8;
	add.s64 	%rd81, %rd81, %rd75;
	add.s64 	%rd80, %rd80, -1;
	setp.ne.s64 	%p6, %rd80, 0;
	@%p6 bra 	LBB2_8;
LBB2_9:
	ret;

}
.visible .entry swap_rows_8(
	.param .u64 swap_rows_8_param_0,
	.param .u64 swap_rows_8_param_1,
	.param .u64 swap_rows_8_param_2,
	.param .u64 swap_rows_8_param_3,
	.param .u64 swap_rows_8_param_4,
	.param .u64 swap_rows_8_param_5
)
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<93>;

	ld.param.u64 	%rd35, [swap_rows_8_param_3];
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd36, %r1, 64;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd37, %r2;
	add.s64 	%rd3, %rd36, %rd37;
	setp.ge.u64 	%p1, %rd3, %rd35;
	@%p1 bra 	LBB3_9;
	ld.param.u64 	%rd30, [swap_rows_8_param_2];
	setp.eq.s64 	%p2, %rd30, 0;
	@%p2 bra 	LBB3_9;
	ld.param.u64 	%rd32, [swap_rows_8_param_5];
	ld.param.u64 	%rd31, [swap_rows_8_param_4];
	ld.param.u64 	%rd33, [swap_rows_8_param_0];
	ld.param.u64 	%rd34, [swap_rows_8_param_1];
	cvta.to.global.u64 	%rd1, %rd34;
	cvta.to.global.u64 	%rd2, %rd33;
	mul.lo.s64 	%rd4, %rd3, %rd32;
	shl.b64 	%rd38, %rd4, 3;
	add.s64 	%rd5, %rd2, %rd38;
	add.s64 	%rd40, %rd30, -1;
	and.b64  	%rd90, %rd30, 3;
	setp.lt.u64 	%p3, %rd40, 3;
	mov.u64 	%rd89, 0;
	shl.b64 	%rd85, %rd31, 3;
	@%p3 bra 	LBB3_6;
	and.b64  	%rd42, %rd30, -4;
	neg.s64 	%rd7, %rd42;
	shl.b64 	%rd8, %rd31, 5;
	add.s64 	%rd86, %rd1, 16;
	mul.lo.s64 	%rd11, %rd31, 24;
	shl.b64 	%rd12, %rd31, 4;
	mov.u64 	%rd88, 0;
	mov.u64 	%rd87, %rd5;
LBB3_4:
	ld.global.u64 	%rd43, [%rd86+-16];
	add.s64 	%rd44, %rd43, -1;
	mul.lo.s64 	%rd45, %rd44, %rd31;
	shl.b64 	%rd46, %rd45, 3;
	add.s64 	%rd47, %rd5, %rd46;
	ld.global.u64 	%rd48, [%rd87];
	ld.global.u64 	%rd49, [%rd47];
	st.global.u64 	[%rd87], %rd49;
	st.global.u64 	[%rd47], %rd48;
	add.s64 	%rd50, %rd87, %rd85;
	ld.global.u64 	%rd51, [%rd86+-8];
	add.s64 	%rd52, %rd51, -1;
	mul.lo.s64 	%rd53, %rd52, %rd31;
	shl.b64 	%rd54, %rd53, 3;
	add.s64 	%rd55, %rd5, %rd54;
	ld.global.u64 	%rd56, [%rd50];
	ld.global.u64 	%rd57, [%rd55];
	st.global.u64 	[%rd50], %rd57;
	st.global.u64 	[%rd55], %rd56;
	add.s64 	%rd58, %rd87, %rd12;
	ld.global.u64 	%rd59, [%rd86];
	add.s64 	%rd60, %rd59, -1;
	mul.lo.s64 	%rd61, %rd60, %rd31;
	shl.b64 	%rd62, %rd61, 3;
	add.s64 	%rd63, %rd5, %rd62;
	ld.global.u64 	%rd64, [%rd58];
	ld.global.u64 	%rd65, [%rd63];
	st.global.u64 	[%rd58], %rd65;
	st.global.u64 	[%rd63], %rd64;
	add.s64 	%rd66, %rd87, %rd11;
	ld.global.u64 	%rd67, [%rd86+8];
	add.s64 	%rd68, %rd67, -1;
	mul.lo.s64 	%rd69, %rd68, %rd31;
	shl.b64 	%rd70, %rd69, 3;
	add.s64 	%rd71, %rd5, %rd70;
	ld.global.u64 	%rd72, [%rd66];
	ld.global.u64 	%rd73, [%rd71];
	st.global.u64 	[%rd66], %rd73;
	st.global.u64 	[%rd71], %rd72;
	add.s64 	%rd88, %rd88, -4;
	add.s64 	%rd87, %rd87, %rd8;
	add.s64 	%rd86, %rd86, 32;
	setp.ne.s64 	%p4, %rd7, %rd88;
	@%p4 bra 	LBB3_4;
	neg.s64 	%rd89, %rd7;
LBB3_6:
	setp.eq.s64 	%p5, %rd90, 0;
	@%p5 bra 	LBB3_9;
	shl.b64 	%rd74, %rd89, 3;
	add.s64 	%rd92, %rd1, %rd74;
	mul.lo.s64 	%rd75, %rd89, %rd31;
	add.s64 	%rd76, %rd75, %rd4;
	shl.b64 	%rd77, %rd76, 3;
	add.s64 	%rd91, %rd2, %rd77;
LBB3_8:
	.pragma "nounroll";
	ld.global.u64 	%rd78, [%rd92];
	add.s64 	%rd79, %rd78, -1;
	mul.lo.s64 	%rd80, %rd79, %rd31;
	shl.b64 	%rd81, %rd80, 3;
	add.s64 	%rd82, %rd5, %rd81;
	ld.global.u64 	%rd83, [%rd91];
	ld.global.u64 	%rd84, [%rd82];
	st.global.u64 	[%rd91], %rd84;
	st.global.u64 	[%rd82], %rd83;
	add.s64 	%rd92, %rd92, 8;
	add.s64 	%rd91, %rd91, %rd85;
	add.s64 	%rd90, %rd90, -1;
	setp.ne.s64 	%p6, %rd90, 0;
	@%p6 bra 	LBB3_8;
LBB3_9:
	ret;

}
.visible .entry swap_rows_16(
	.param .u64 swap_rows_16_param_0,
	.param .u64 swap_rows_16_param_1,
	.param .u64 swap_rows_16_param_2,
	.param .u64 swap_rows_16_param_3,
	.param .u64 swap_rows_16_param_4,
	.param .u64 swap_rows_16_param_5
)
{
	.local .align 16 .b8 	__local_depot4[16];
	.reg .b64 	%SP;
	.reg .b64 	%SPL;
	.reg .pred 	%p<6>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<74>;

	mov.u64 	%SPL, __local_depot4;
	ld.param.u64 	%rd23, [swap_rows_16_param_3];
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd25, %r1, 64;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd26, %r2;
	add.s64 	%rd4, %rd25, %rd26;
	setp.ge.u64 	%p1, %rd4, %rd23;
	@%p1 bra 	LBB4_7;
	ld.param.u64 	%rd18, [swap_rows_16_param_2];
	setp.eq.s64 	%p2, %rd18, 0;
	@%p2 bra 	LBB4_7;
	ld.param.u64 	%rd20, [swap_rows_16_param_5];
	ld.param.u64 	%rd19, [swap_rows_16_param_4];
	ld.param.u64 	%rd21, [swap_rows_16_param_0];
	ld.param.u64 	%rd22, [swap_rows_16_param_1];
	cvta.to.global.u64 	%rd1, %rd22;
	cvta.to.global.u64 	%rd2, %rd21;
	add.u64 	%rd3, %SPL, 0;
	mul.lo.s64 	%rd27, %rd4, %rd20;
	shl.b64 	%rd28, %rd27, 4;
	add.s64 	%rd5, %rd2, %rd28;
	and.b64  	%rd6, %rd18, 1;
	setp.eq.s64 	%p3, %rd18, 1;
	mov.u64 	%rd73, 0;
	@%p3 bra 	LBB4_5;
	and.b64  	%rd73, %rd18, -2;
	add.s64 	%rd71, %rd1, 8;
	shl.b64 	%rd9, %rd19, 4;
	shl.b64 	%rd10, %rd19, 5;
	mov.u64 	%rd72, 0;
	mov.u64 	%rd70, %rd5;
LBB4_4:
	ld.global.u64 	%rd31, [%rd71+-8];
	add.s64 	%rd32, %rd31, -1;
	mul.lo.s64 	%rd33, %rd32, %rd19;
	shl.b64 	%rd34, %rd33, 4;
	add.s64 	%rd35, %rd5, %rd34;
	ld.global.u64 	%rd36, [%rd70];
	st.local.u64 	[%rd3], %rd36;
	ld.global.u64 	%rd37, [%rd70+8];
	st.local.u64 	[%rd3+8], %rd37;
	ld.global.u64 	%rd38, [%rd35];
	st.global.u64 	[%rd70], %rd38;
	ld.global.u64 	%rd39, [%rd35+8];
	st.global.u64 	[%rd70+8], %rd39;
	ld.local.u64 	%rd40, [%rd3];
	st.global.u64 	[%rd35], %rd40;
	ld.local.u64 	%rd41, [%rd3+8];
	st.global.u64 	[%rd35+8], %rd41;
	ld.global.u64 	%rd42, [%rd71];
	add.s64 	%rd43, %rd42, -1;
	mul.lo.s64 	%rd44, %rd43, %rd19;
	shl.b64 	%rd45, %rd44, 4;
	add.s64 	%rd46, %rd5, %rd45;
	add.s64 	%rd47, %rd70, %rd9;
	ld.global.u64 	%rd48, [%rd47];
	st.local.u64 	[%rd3], %rd48;
	ld.global.u64 	%rd49, [%rd47+8];
	st.local.u64 	[%rd3+8], %rd49;
	ld.global.u64 	%rd50, [%rd46];
	st.global.u64 	[%rd47], %rd50;
	ld.global.u64 	%rd51, [%rd46+8];
	st.global.u64 	[%rd47+8], %rd51;
	ld.local.u64 	%rd52, [%rd3];
	st.global.u64 	[%rd46], %rd52;
	ld.local.u64 	%rd53, [%rd3+8];
	st.global.u64 	[%rd46+8], %rd53;
	add.s64 	%rd72, %rd72, 2;
	add.s64 	%rd71, %rd71, 16;
	add.s64 	%rd70, %rd70, %rd10;
	setp.ne.s64 	%p4, %rd73, %rd72;
	@%p4 bra 	LBB4_4;
LBB4_5:
	setp.eq.s64 	%p5, %rd6, 0;
	@%p5 bra 	LBB4_7;
	mul.lo.s64 	%rd54, %rd73, %rd19;
	shl.b64 	%rd55, %rd54, 4;
	add.s64 	%rd56, %rd5, %rd55;
	shl.b64 	%rd57, %rd73, 3;
	add.s64 	%rd58, %rd1, %rd57;
	ld.global.u64 	%rd59, [%rd58];
	add.s64 	%rd60, %rd59, -1;
	mul.lo.s64 	%rd61, %rd60, %rd19;
	shl.b64 	%rd62, %rd61, 4;
	add.s64 	%rd63, %rd5, %rd62;
	ld.global.u64 	%rd64, [%rd56];
	st.local.u64 	[%rd3], %rd64;
	ld.global.u64 	%rd65, [%rd56+8];
	st.local.u64 	[%rd3+8], %rd65;
	ld.global.u64 	%rd66, [%rd63];
	st.global.u64 	[%rd56], %rd66;
	ld.global.u64 	%rd67, [%rd63+8];
	st.global.u64 	[%rd56+8], %rd67;
	ld.local.u64 	%rd68, [%rd3];
	st.global.u64 	[%rd63], %rd68;
	ld.local.u64 	%rd69, [%rd3+8];
	st.global.u64 	[%rd63+8], %rd69;
LBB4_7:
	ret;

}
.visible .entry find_not_finite_double(
	.param .u64 find_not_finite_double_param_0,
	.param .u64 find_not_finite_double_param_1,
	.param .u64 find_not_finite_double_param_2,
	.param .u64 find_not_finite_double_param_3
)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<20>;
	.reg .f64 	%fd<3>;

	ld.param.u64 	%rd10, [find_not_finite_double_param_1];
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd19, %r2;
	setp.ge.u64 	%p1, %rd19, %rd10;
	@%p1 bra 	LBB5_5;
	ld.param.u64 	%rd11, [find_not_finite_double_param_0];
	ld.param.u64 	%rd12, [find_not_finite_double_param_3];
	cvta.to.global.u64 	%rd1, %rd12;
	cvta.to.global.u64 	%rd2, %rd11;
	ld.param.u64 	%rd13, [find_not_finite_double_param_2];
	mov.u32 	%r1, %ctaid.x;
	cvt.u64.u32 	%rd14, %r1;
	mul.lo.s64 	%rd3, %rd14, %rd13;
	add.s64 	%rd15, %rd3, %rd19;
	shl.b64 	%rd16, %rd15, 3;
	add.s64 	%rd18, %rd2, %rd16;
	bra.uni 	LBB5_2;
LBB5_4:
	add.s64 	%rd19, %rd19, 256;
	add.s64 	%rd18, %rd18, 2048;
	setp.lt.u64 	%p3, %rd19, %rd10;
	@%p3 bra 	LBB5_2;
	bra.uni 	LBB5_5;
LBB5_2:
	ld.global.f64 	%fd1, [%rd18];
	sub.f64 	%fd2, %fd1, %fd1;
	setp.eq.f64 	%p2, %fd2, 0d0000000000000000;
	@%p2 bra 	LBB5_4;
	mov.u64 	%rd17, 1;
	st.global.u64 	[%rd1], %rd17;
	bra.uni 	LBB5_4;
LBB5_5:
	ret;

}
.visible .entry find_not_finite_float(
	.param .u64 find_not_finite_float_param_0,
	.param .u64 find_not_finite_float_param_1,
	.param .u64 find_not_finite_float_param_2,
	.param .u64 find_not_finite_float_param_3
)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<3>;
	.reg .f32 	%f<3>;
	.reg .b64 	%rd<20>;

	ld.param.u64 	%rd10, [find_not_finite_float_param_1];
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd19, %r2;
	setp.ge.u64 	%p1, %rd19, %rd10;
	@%p1 bra 	LBB6_5;
	ld.param.u64 	%rd11, [find_not_finite_float_param_0];
	ld.param.u64 	%rd12, [find_not_finite_float_param_3];
	cvta.to.global.u64 	%rd1, %rd12;
	cvta.to.global.u64 	%rd2, %rd11;
	ld.param.u64 	%rd13, [find_not_finite_float_param_2];
	mov.u32 	%r1, %ctaid.x;
	cvt.u64.u32 	%rd14, %r1;
	mul.lo.s64 	%rd3, %rd14, %rd13;
	add.s64 	%rd15, %rd3, %rd19;
	shl.b64 	%rd16, %rd15, 2;
	add.s64 	%rd18, %rd2, %rd16;
	bra.uni 	LBB6_2;
LBB6_4:
	add.s64 	%rd19, %rd19, 256;
	add.s64 	%rd18, %rd18, 1024;
	setp.lt.u64 	%p3, %rd19, %rd10;
	@%p3 bra 	LBB6_2;
	bra.uni 	LBB6_5;
LBB6_2:
	ld.global.f32 	%f1, [%rd18];
	sub.f32 	%f2, %f1, %f1;
	setp.eq.f32 	%p2, %f2, 0f00000000;
	@%p2 bra 	LBB6_4;
	mov.u64 	%rd17, 1;
	st.global.u64 	[%rd1], %rd17;
	bra.uni 	LBB6_4;
LBB6_5:
	ret;

}
.visible .entry find_unusable_double(
	.param .u64 find_unusable_double_param_0,
	.param .u64 find_unusable_double_param_1,
	.param .u64 find_unusable_double_param_2,
	.param .u64 find_unusable_double_param_3,
	.param .f64 find_unusable_double_param_4,
	.param .u64 find_unusable_double_param_5
)
{
	.reg .pred 	%p<84>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<69>;
	.reg .f64 	%fd<21>;

	ld.param.u64 	%rd37, [find_unusable_double_param_1];
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd38, %r1, 256;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd39, %r2;
	add.s64 	%rd3, %rd38, %rd39;
	setp.ge.u64 	%p19, %rd3, %rd37;
	@%p19 bra 	LBB7_30;
	ld.param.u64 	%rd34, [find_unusable_double_param_3];
	ld.param.u64 	%rd33, [find_unusable_double_param_2];
	ld.param.u64 	%rd35, [find_unusable_double_param_0];
	cvta.to.global.u64 	%rd2, %rd35;
	mul.lo.s64 	%rd4, %rd3, %rd33;
	setp.eq.s64 	%p21, %rd34, 0;
	mov.pred 	%p73, 0;
	add.s64 	%rd57, %rd34, -1;
	@%p21 bra 	LBB7_18;
	ld.param.f64 	%fd1, [find_unusable_double_param_4];
	mov.u64 	%rd59, 0;
	and.b64  	%rd60, %rd34, 3;
	setp.lt.u64 	%p24, %rd57, 3;
	mov.pred 	%p73, 0;
	@%p24 bra 	LBB7_12;
	mov.pred 	%p69, -1;
	and.b64  	%rd43, %rd34, -4;
	neg.s64 	%rd6, %rd43;
	shl.b64 	%rd44, %rd4, 3;
	add.s64 	%rd45, %rd44, %rd2;
	add.s64 	%rd62, %rd45, 16;
	mov.pred 	%p73, 0;
	mov.u64 	%rd63, 0;
	bra.uni 	LBB7_4;
LBB7_10:
	add.s64 	%rd63, %rd63, -4;
	add.s64 	%rd62, %rd62, 32;
	setp.eq.s64 	%p41, %rd6, %rd63;
	@%p41 bra 	LBB7_11;
LBB7_4:
	mov.pred 	%p7, %p73;
	mov.pred 	%p73, %p69;
	@%p7 bra 	LBB7_10;
	ld.global.f64 	%fd2, [%rd62+-16];
	setp.ge.f64 	%p28, %fd2, %fd1;
	neg.f64 	%fd3, %fd2;
	setp.ge.f64 	%p29, %fd3, %fd1;
	or.pred  	%p30, %p28, %p29;
	mov.pred 	%p73, %p69;
	@%p30 bra 	LBB7_10;
	ld.global.f64 	%fd4, [%rd62+-8];
	setp.ge.f64 	%p32, %fd4, %fd1;
	neg.f64 	%fd5, %fd4;
	setp.ge.f64 	%p33, %fd5, %fd1;
	or.pred  	%p34, %p32, %p33;
	mov.pred 	%p73, %p69;
	@%p34 bra 	LBB7_10;
	ld.global.f64 	%fd6, [%rd62];
	setp.ge.f64 	%p36, %fd6, %fd1;
	neg.f64 	%fd7, %fd6;
	setp.ge.f64 	%p37, %fd7, %fd1;
	or.pred  	%p38, %p36, %p37;
	mov.pred 	%p73, %p69;
	@%p38 bra 	LBB7_10;
	ld.global.f64 	%fd8, [%rd62+8];
	setp.ge.f64 	%p40, %fd8, %fd1;
	mov.pred 	%p73, %p69;
	@%p40 bra 	LBB7_10;
	neg.f64 	%fd9, %fd8;
	setp.ge.f64 	%p73, %fd9, %fd1;
	bra.uni 	LBB7_10;
LBB7_11:
	neg.s64 	%rd59, %rd6;
LBB7_12:
	setp.eq.s64 	%p42, %rd60, 0;
	@%p42 bra 	LBB7_18;
	add.s64 	%rd46, %rd59, %rd4;
	shl.b64 	%rd47, %rd46, 3;
	add.s64 	%rd61, %rd2, %rd47;
	mov.pred 	%p43, -1;
	bra.uni 	LBB7_14;
LBB7_17:
	add.s64 	%rd61, %rd61, 8;
	add.s64 	%rd60, %rd60, -1;
	setp.ne.s64 	%p46, %rd60, 0;
	@%p46 bra 	LBB7_14;
	bra.uni 	LBB7_18;
LBB7_14:
	.pragma "nounroll";
	mov.pred 	%p3, %p73;
	mov.pred 	%p73, %p43;
	@%p3 bra 	LBB7_17;
	ld.global.f64 	%fd10, [%rd61];
	setp.ge.f64 	%p45, %fd10, %fd1;
	mov.pred 	%p73, %p43;
	@%p45 bra 	LBB7_17;
	neg.f64 	%fd11, %fd10;
	setp.ge.f64 	%p73, %fd11, %fd1;
	bra.uni 	LBB7_17;
LBB7_18:
	@%p21 bra 	LBB7_28;
	and.b64  	%rd65, %rd34, 7;
	setp.lt.u64 	%p49, %rd57, 7;
	mov.u64 	%rd64, 0;
	@%p49 bra 	LBB7_23;
	and.b64  	%rd51, %rd34, -8;
	neg.s64 	%rd16, %rd51;
	shl.b64 	%rd52, %rd4, 3;
	add.s64 	%rd53, %rd52, %rd2;
	add.s64 	%rd67, %rd53, 32;
	mov.u64 	%rd68, 0;
	mov.pred 	%p50, 0;
	bra.uni 	LBB7_21;
LBB7_39:
	add.s64 	%rd68, %rd68, -8;
	add.s64 	%rd67, %rd67, 64;
	setp.eq.s64 	%p65, %rd16, %rd68;
	@%p65 bra 	LBB7_22;
LBB7_21:
	mov.pred 	%p16, %p73;
	mov.pred 	%p73, %p50;
	@!%p16 bra 	LBB7_39;
	bra.uni 	LBB7_31;
LBB7_31:
	ld.global.f64 	%fd12, [%rd67+-32];
	setp.nan.f64 	%p52, %fd12, %fd12;
	mov.pred 	%p73, %p50;
	@%p52 bra 	LBB7_39;
	ld.global.f64 	%fd13, [%rd67+-24];
	setp.nan.f64 	%p54, %fd13, %fd13;
	mov.pred 	%p73, %p50;
	@%p54 bra 	LBB7_39;
	ld.global.f64 	%fd14, [%rd67+-16];
	setp.nan.f64 	%p56, %fd14, %fd14;
	mov.pred 	%p73, %p50;
	@%p56 bra 	LBB7_39;
	ld.global.f64 	%fd15, [%rd67+-8];
	setp.nan.f64 	%p58, %fd15, %fd15;
	mov.pred 	%p73, %p50;
	@%p58 bra 	LBB7_39;
	ld.global.f64 	%fd16, [%rd67];
	setp.nan.f64 	%p60, %fd16, %fd16;
	mov.pred 	%p73, %p50;
	@%p60 bra 	LBB7_39;
	ld.global.f64 	%fd17, [%rd67+8];
	setp.nan.f64 	%p62, %fd17, %fd17;
	mov.pred 	%p73, %p50;
	@%p62 bra 	LBB7_39;
	ld.global.f64 	%fd18, [%rd67+16];
	setp.nan.f64 	%p64, %fd18, %fd18;
	mov.pred 	%p73, %p50;
	@%p64 bra 	LBB7_39;
	ld.global.f64 	%fd19, [%rd67+24];
	setp.num.f64 	%p73, %fd19, %fd19;
	bra.uni 	LBB7_39;
LBB7_22:
	neg.s64 	%rd64, %rd16;
LBB7_23:
	setp.eq.s64 	%p66, %rd65, 0;
	@%p66 bra 	LBB7_28;
	add.s64 	%rd54, %rd64, %rd4;
	shl.b64 	%rd55, %rd54, 3;
	add.s64 	%rd66, %rd2, %rd55;
	mov.pred 	%p67, 0;
	mov.pred 	%p79, %p73;
	bra.uni 	LBB7_25;
LBB7_27:
	add.s64 	%rd66, %rd66, 8;
	add.s64 	%rd65, %rd65, -1;
	setp.ne.s64 	%p68, %rd65, 0;
	mov.pred 	%p79, %p73;
	@%p68 bra 	LBB7_25;
	bra.uni 	LBB7_28;
LBB7_25:
	.pragma "nounroll";
	mov.pred 	%p73, %p67;
	@!%p79 bra 	LBB7_27;
	bra.uni 	LBB7_26;
LBB7_26:
	ld.global.f64 	%fd20, [%rd66];
	setp.num.f64 	%p73, %fd20, %fd20;
	bra.uni 	LBB7_27;
LBB7_28:
	@%p73 bra 	LBB7_30;
	ld.param.u64 	%rd36, [find_unusable_double_param_5];
	cvta.to.global.u64 	%rd1, %rd36;
	mov.u64 	%rd56, 1;
	st.global.u64 	[%rd1], %rd56;
LBB7_30:
	ret;

}
.visible .entry find_unusable_float(
	.param .u64 find_unusable_float_param_0,
	.param .u64 find_unusable_float_param_1,
	.param .u64 find_unusable_float_param_2,
	.param .u64 find_unusable_float_param_3,
	.param .f32 find_unusable_float_param_4,
	.param .u64 find_unusable_float_param_5
)
{
	.reg .pred 	%p<84>;
	.reg .b32 	%r<3>;
	.reg .f32 	%f<21>;
	.reg .b64 	%rd<69>;

	ld.param.u64 	%rd37, [find_unusable_float_param_1];
	mov.u32 	%r1, %ctaid.x;
	mul.wide.u32 	%rd38, %r1, 256;
	mov.u32 	%r2, %tid.x;
	cvt.u64.u32 	%rd39, %r2;
	add.s64 	%rd3, %rd38, %rd39;
	setp.ge.u64 	%p19, %rd3, %rd37;
	@%p19 bra 	LBB8_30;
	ld.param.u64 	%rd34, [find_unusable_float_param_3];
	ld.param.u64 	%rd33, [find_unusable_float_param_2];
	ld.param.u64 	%rd35, [find_unusable_float_param_0];
	cvta.to.global.u64 	%rd2, %rd35;
	mul.lo.s64 	%rd4, %rd3, %rd33;
	setp.eq.s64 	%p21, %rd34, 0;
	mov.pred 	%p73, 0;
	add.s64 	%rd57, %rd34, -1;
	@%p21 bra 	LBB8_18;
	ld.param.f32 	%f1, [find_unusable_float_param_4];
	mov.u64 	%rd59, 0;
	and.b64  	%rd60, %rd34, 3;
	setp.lt.u64 	%p24, %rd57, 3;
	mov.pred 	%p73, 0;
	@%p24 bra 	LBB8_12;
	mov.pred 	%p69, -1;
	and.b64  	%rd43, %rd34, -4;
	neg.s64 	%rd6, %rd43;
	shl.b64 	%rd44, %rd4, 2;
	add.s64 	%rd45, %rd44, %rd2;
	add.s64 	%rd62, %rd45, 8;
	mov.pred 	%p73, 0;
	mov.u64 	%rd63, 0;
	bra.uni 	LBB8_4;
LBB8_10:
	add.s64 	%rd63, %rd63, -4;
	add.s64 	%rd62, %rd62, 16;
	setp.eq.s64 	%p41, %rd6, %rd63;
	@%p41 bra 	LBB8_11;
LBB8_4:
	mov.pred 	%p7, %p73;
	mov.pred 	%p73, %p69;
	@%p7 bra 	LBB8_10;
	ld.global.f32 	%f2, [%rd62+-8];
	setp.ge.f32 	%p28, %f2, %f1;
	neg.f32 	%f3, %f2;
	setp.ge.f32 	%p29, %f3, %f1;
	or.pred  	%p30, %p28, %p29;
	mov.pred 	%p73, %p69;
	@%p30 bra 	LBB8_10;
	ld.global.f32 	%f4, [%rd62+-4];
	setp.ge.f32 	%p32, %f4, %f1;
	neg.f32 	%f5, %f4;
	setp.ge.f32 	%p33, %f5, %f1;
	or.pred  	%p34, %p32, %p33;
	mov.pred 	%p73, %p69;
	@%p34 bra 	LBB8_10;
	ld.global.f32 	%f6, [%rd62];
	setp.ge.f32 	%p36, %f6, %f1;
	neg.f32 	%f7, %f6;
	setp.ge.f32 	%p37, %f7, %f1;
	or.pred  	%p38, %p36, %p37;
	mov.pred 	%p73, %p69;
	@%p38 bra 	LBB8_10;
	ld.global.f32 	%f8, [%rd62+4];
	setp.ge.f32 	%p40, %f8, %f1;
	mov.pred 	%p73, %p69;
	@%p40 bra 	LBB8_10;
	neg.f32 	%f9, %f8;
	setp.ge.f32 	%p73, %f9, %f1;
	bra.uni 	LBB8_10;
LBB8_11:
	neg.s64 	%rd59, %rd6;
LBB8_12:
	setp.eq.s64 	%p42, %rd60, 0;
	@%p42 bra 	LBB8_18;
	add.s64 	%rd46, %rd59, %rd4;
	shl.b64 	%rd47, %rd46, 2;
	add.s64 	%rd61, %rd2, %rd47;
	mov.pred 	%p43, -1;
	bra.uni 	LBB8_14;
LBB8_17:
	add.s64 	%rd61, %rd61, 4;
	add.s64 	%rd60, %rd60, -1;
	setp.ne.s64 	%p46, %rd60, 0;
	@%p46 bra 	LBB8_14;
	bra.uni 	LBB8_18;
LBB8_14:
	.pragma "nounroll";
	mov.pred 	%p3, %p73;
	mov.pred 	%p73, %p43;
	@%p3 bra 	LBB8_17;
	ld.global.f32 	%f10, [%rd61];
	setp.ge.f32 	%p45, %f10, %f1;
	mov.pred 	%p73, %p43;
	@%p45 bra 	LBB8_17;
	neg.f32 	%f11, %f10;
	setp.ge.f32 	%p73, %f11, %f1;
	bra.uni 	LBB8_17;
LBB8_18:
	@%p21 bra 	LBB8_28;
	and.b64  	%rd65, %rd34, 7;
	setp.lt.u64 	%p49, %rd57, 7;
	mov.u64 	%rd64, 0;
	@%p49 bra 	LBB8_23;
	and.b64  	%rd51, %rd34, -8;
	neg.s64 	%rd16, %rd51;
	shl.b64 	%rd52, %rd4, 2;
	add.s64 	%rd53, %rd52, %rd2;
	add.s64 	%rd67, %rd53, 16;
	mov.u64 	%rd68, 0;
	mov.pred 	%p50, 0;
	bra.uni 	LBB8_21;
LBB8_39:
	add.s64 	%rd68, %rd68, -8;
	add.s64 	%rd67, %rd67, 32;
	setp.eq.s64 	%p65, %rd16, %rd68;
	@%p65 bra 	LBB8_22;
LBB8_21:
	mov.pred 	%p16, %p73;
	mov.pred 	%p73, %p50;
	@!%p16 bra 	LBB8_39;
	bra.uni 	LBB8_31;
LBB8_31:
	ld.global.f32 	%f12, [%rd67+-16];
	setp.nan.f32 	%p52, %f12, %f12;
	mov.pred 	%p73, %p50;
	@%p52 bra 	LBB8_39;
	ld.global.f32 	%f13, [%rd67+-12];
	setp.nan.f32 	%p54, %f13, %f13;
	mov.pred 	%p73, %p50;
	@%p54 bra 	LBB8_39;
	ld.global.f32 	%f14, [%rd67+-8];
	setp.nan.f32 	%p56, %f14, %f14;
	mov.pred 	%p73, %p50;
	@%p56 bra 	LBB8_39;
	ld.global.f32 	%f15, [%rd67+-4];
	setp.nan.f32 	%p58, %f15, %f15;
	mov.pred 	%p73, %p50;
	@%p58 bra 	LBB8_39;
	ld.global.f32 	%f16, [%rd67];
	setp.nan.f32 	%p60, %f16, %f16;
	mov.pred 	%p73, %p50;
	@%p60 bra 	LBB8_39;
	ld.global.f32 	%f17, [%rd67+4];
	setp.nan.f32 	%p62, %f17, %f17;
	mov.pred 	%p73, %p50;
	@%p62 bra 	LBB8_39;
	ld.global.f32 	%f18, [%rd67+8];
	setp.nan.f32 	%p64, %f18, %f18;
	mov.pred 	%p73, %p50;
	@%p64 bra 	LBB8_39;
	ld.global.f32 	%f19, [%rd67+12];
	setp.num.f32 	%p73, %f19, %f19;
	bra.uni 	LBB8_39;
LBB8_22:
	neg.s64 	%rd64, %rd16;
LBB8_23:
	setp.eq.s64 	%p66, %rd65, 0;
	@%p66 bra 	LBB8_28;
	add.s64 	%rd54, %rd64, %rd4;
	shl.b64 	%rd55, %rd54, 2;
	add.s64 	%rd66, %rd2, %rd55;
	mov.pred 	%p67, 0;
	mov.pred 	%p79, %p73;
	bra.uni 	LBB8_25;
LBB8_27:
	add.s64 	%rd66, %rd66, 4;
	add.s64 	%rd65, %rd65, -1;
	setp.ne.s64 	%p68, %rd65, 0;
	mov.pred 	%p79, %p73;
	@%p68 bra 	LBB8_25;
	bra.uni 	LBB8_28;
LBB8_25:
	.pragma "nounroll";
	mov.pred 	%p73, %p67;
	@!%p79 bra 	LBB8_27;
	bra.uni 	LBB8_26;
LBB8_26:
	ld.global.f32 	%f20, [%rd66];
	setp.num.f32 	%p73, %f20, %f20;
	bra.uni 	LBB8_27;
LBB8_28:
	@%p73 bra 	LBB8_30;
	ld.param.u64 	%rd36, [find_unusable_float_param_5];
	cvta.to.global.u64 	%rd1, %rd36;
	mov.u64 	%rd56, 1;
	st.global.u64 	[%rd1], %rd56;
LBB8_30:
	ret;

}
.visible .entry make_unit_lower_double(
	.param .u64 make_unit_lower_double_param_0,
	.param .u64 make_unit_lower_double_param_1,
	.param .u64 make_unit_lower_double_param_2,
	.param .u64 make_unit_lower_double_param_3
)
{
	.reg .pred 	%p<15>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<53>;
	.reg .f64 	%fd<3>;

	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r1, %tid.x;
	setp.gt.u32 	%p1, %r1, %r2;
	@%p1 bra 	LBB9_10;
	bra.uni 	LBB9_1;
LBB9_10:
	ret;
LBB9_1:
	ld.param.u64 	%rd32, [make_unit_lower_double_param_3];
	ld.param.u64 	%rd31, [make_unit_lower_double_param_1];
	ld.param.u64 	%rd33, [make_unit_lower_double_param_0];
	cvta.to.global.u64 	%rd1, %rd33;
	ld.param.u64 	%rd34, [make_unit_lower_double_param_2];
	cvt.u64.u32 	%rd2, %r2;
	mul.lo.s64 	%rd3, %rd2, %rd34;
	cvt.u64.u32 	%rd46, %r1;
	add.s64 	%rd5, %rd32, -1;
	and.b64  	%rd6, %rd32, 7;
	and.b64  	%rd7, %rd32, -8;
	mul.lo.s64 	%rd44, %rd31, %rd46;
	add.s64 	%rd35, %rd3, %rd44;
	shl.b64 	%rd36, %rd35, 3;
	add.s64 	%rd37, %rd36, %rd1;
	add.s64 	%rd45, %rd37, 32;
	shl.b64 	%rd10, %rd31, 11;
	shl.b64 	%rd38, %rd3, 3;
	add.s64 	%rd11, %rd1, %rd38;
	shl.b64 	%rd12, %rd31, 8;
	setp.eq.s64 	%p2, %rd32, 0;
	setp.lt.u64 	%p3, %rd5, 7;
	setp.eq.s64 	%p8, %rd6, 0;
	bra.uni 	LBB9_2;
LBB9_9:
	add.s64 	%rd46, %rd46, 256;
	add.s64 	%rd45, %rd45, %rd10;
	add.s64 	%rd44, %rd44, %rd12;
	setp.gt.u64 	%p13, %rd46, %rd2;
	@%p13 bra 	LBB9_10;
LBB9_2:
	@%p2 bra 	LBB9_9;
	mov.u64 	%rd50, 0;
	setp.eq.s64 	%p14, %rd46, %rd2;
	@%p3 bra 	LBB9_6;
	mov.u64 	%rd40, 0;
	mov.u64 	%rd51, %rd45;
	mov.u64 	%rd52, %rd40;
LBB9_5:
	setp.eq.s64 	%p5, %rd52, 0;
	and.pred  	%p6, %p5, %p14;
	selp.u32 	%r3, 1, 0, %p6;
	cvt.rn.f64.u32 	%fd1, %r3;
	st.global.f64 	[%rd51+-32], %fd1;
	st.global.u64 	[%rd51+-24], %rd40;
	st.global.u64 	[%rd51+-16], %rd40;
	st.global.u64 	[%rd51+-8], %rd40;
	st.global.u64 	[%rd51], %rd40;
	st.global.u64 	[%rd51+8], %rd40;
	st.global.u64 	[%rd51+16], %rd40;
	st.global.u64 	[%rd51+24], %rd40;
	add.s64 	%rd52, %rd52, 8;
	add.s64 	%rd51, %rd51, 64;
	setp.eq.s64 	%p7, %rd7, %rd52;
	mov.u64 	%rd50, %rd7;
	@%p7 bra 	LBB9_6;
	bra.uni 	LBB9_5;
LBB9_6:
	@%p8 bra 	LBB9_9;
	add.s64 	%rd42, %rd50, %rd44;
	shl.b64 	%rd43, %rd42, 3;
	add.s64 	%rd49, %rd11, %rd43;
	mov.u64 	%rd48, %rd6;
LBB9_8:
	.pragma "nounroll";
	setp.eq.s64 	%p10, %rd50, 0;
	and.pred  	%p11, %p10, %p14;
	selp.u32 	%r4, 1, 0, %p11;
	cvt.rn.f64.u32 	%fd2, %r4;
	st.global.f64 	[%rd49], %fd2;
	add.s64 	%rd50, %rd50, 1;
	add.s64 	%rd49, %rd49, 8;
	add.s64 	%rd48, %rd48, -1;
	setp.ne.s64 	%p12, %rd48, 0;
	@%p12 bra 	LBB9_8;
	bra.uni 	LBB9_9;

}
.visible .entry make_unit_lower_float(
	.param .u64 make_unit_lower_float_param_0,
	.param .u64 make_unit_lower_float_param_1,
	.param .u64 make_unit_lower_float_param_2,
	.param .u64 make_unit_lower_float_param_3
)
{
	.reg .pred 	%p<15>;
	.reg .b32 	%r<6>;
	.reg .f32 	%f<3>;
	.reg .b64 	%rd<52>;

	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r1, %tid.x;
	setp.gt.u32 	%p1, %r1, %r2;
	@%p1 bra 	LBB10_10;
	bra.uni 	LBB10_1;
LBB10_10:
	ret;
LBB10_1:
	ld.param.u64 	%rd32, [make_unit_lower_float_param_3];
	ld.param.u64 	%rd31, [make_unit_lower_float_param_1];
	ld.param.u64 	%rd33, [make_unit_lower_float_param_0];
	cvta.to.global.u64 	%rd1, %rd33;
	ld.param.u64 	%rd34, [make_unit_lower_float_param_2];
	cvt.u64.u32 	%rd2, %r2;
	mul.lo.s64 	%rd3, %rd2, %rd34;
	cvt.u64.u32 	%rd45, %r1;
	add.s64 	%rd5, %rd32, -1;
	and.b64  	%rd6, %rd32, 7;
	and.b64  	%rd7, %rd32, -8;
	mul.lo.s64 	%rd43, %rd31, %rd45;
	add.s64 	%rd35, %rd3, %rd43;
	shl.b64 	%rd36, %rd35, 2;
	add.s64 	%rd37, %rd36, %rd1;
	add.s64 	%rd44, %rd37, 16;
	shl.b64 	%rd10, %rd31, 10;
	shl.b64 	%rd38, %rd3, 2;
	add.s64 	%rd11, %rd1, %rd38;
	shl.b64 	%rd12, %rd31, 8;
	setp.eq.s64 	%p2, %rd32, 0;
	setp.lt.u64 	%p3, %rd5, 7;
	setp.eq.s64 	%p8, %rd6, 0;
	mov.u32 	%r4, 0;
	bra.uni 	LBB10_2;
LBB10_9:
	add.s64 	%rd45, %rd45, 256;
	add.s64 	%rd44, %rd44, %rd10;
	add.s64 	%rd43, %rd43, %rd12;
	setp.gt.u64 	%p13, %rd45, %rd2;
	@%p13 bra 	LBB10_10;
LBB10_2:
	@%p2 bra 	LBB10_9;
	mov.u64 	%rd49, 0;
	setp.eq.s64 	%p14, %rd45, %rd2;
	@%p3 bra 	LBB10_6;
	mov.u64 	%rd51, 0;
	mov.u64 	%rd50, %rd44;
LBB10_5:
	setp.eq.s64 	%p5, %rd51, 0;
	and.pred  	%p6, %p5, %p14;
	selp.u32 	%r3, 1, 0, %p6;
	cvt.rn.f32.u32 	%f1, %r3;
	st.global.f32 	[%rd50+-16], %f1;
	st.global.u32 	[%rd50+-12], %r4;
	st.global.u32 	[%rd50+-8], %r4;
	st.global.u32 	[%rd50+-4], %r4;
	st.global.u32 	[%rd50], %r4;
	st.global.u32 	[%rd50+4], %r4;
	st.global.u32 	[%rd50+8], %r4;
	st.global.u32 	[%rd50+12], %r4;
	add.s64 	%rd51, %rd51, 8;
	add.s64 	%rd50, %rd50, 32;
	setp.eq.s64 	%p7, %rd7, %rd51;
	mov.u64 	%rd49, %rd7;
	@%p7 bra 	LBB10_6;
	bra.uni 	LBB10_5;
LBB10_6:
	@%p8 bra 	LBB10_9;
	add.s64 	%rd41, %rd49, %rd43;
	shl.b64 	%rd42, %rd41, 2;
	add.s64 	%rd48, %rd11, %rd42;
	mov.u64 	%rd47, %rd6;
LBB10_8:
	.pragma "nounroll";
	setp.eq.s64 	%p10, %rd49, 0;
	and.pred  	%p11, %p10, %p14;
	selp.u32 	%r5, 1, 0, %p11;
	cvt.rn.f32.u32 	%f2, %r5;
	st.global.f32 	[%rd48], %f2;
	add.s64 	%rd49, %rd49, 1;
	add.s64 	%rd48, %rd48, 4;
	add.s64 	%rd47, %rd47, -1;
	setp.ne.s64 	%p12, %rd47, 0;
	@%p12 bra 	LBB10_8;
	bra.uni 	LBB10_9;

}
)ptx";

} // namespace hpart
