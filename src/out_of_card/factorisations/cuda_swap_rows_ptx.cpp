// Made of cuda_swap_rows.cu by scripts/make-ptx with clang 14.0.6.
// clang-format off
#include "out_of_card/in_card/cuda_module.hpp"

namespace hpart
{

const char *const cuda_swap_rows_ptx = R"ptx(// cuda_swap_rows.cu

.version 6.0
.target sm_60
.address_size 64


.visible .entry swap_4(
	.param .u64 swap_4_param_0,
	.param .u64 swap_4_param_1,
	.param .u64 swap_4_param_2,
	.param .u64 swap_4_param_3,
	.param .u32 swap_4_param_4,
	.param .u32 swap_4_param_5,
	.param .align 4 .b8 swap_4_param_6[256]
)
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<33>;
	.reg .b64 	%rd<72>;

	ld.param.u64 	%rd26, [swap_4_param_3];
	mov.u32 	%r11, %ctaid.x;
	mul.wide.u32 	%rd27, %r11, 256;
	mov.u32 	%r12, %tid.x;
	cvt.u64.u32 	%rd28, %r12;
	add.s64 	%rd3, %rd27, %rd28;
	setp.ge.s64 	%p1, %rd3, %rd26;
	@%p1 bra 	LBB0_8;
	ld.param.u32 	%r10, [swap_4_param_5];
	setp.lt.s32 	%p2, %r10, 1;
	@%p2 bra 	LBB0_8;
	ld.param.u32 	%r9, [swap_4_param_4];
	ld.param.u64 	%rd23, [swap_4_param_2];
	ld.param.u64 	%rd22, [swap_4_param_1];
	ld.param.u64 	%rd24, [swap_4_param_0];
	mov.b64 	%rd25, swap_4_param_6;
	mov.u64 	%rd1, %rd25;
	cvta.to.global.u64 	%rd2, %rd24;
	mul.lo.s64 	%rd4, %rd3, %rd23;
	shl.b64 	%rd29, %rd4, 2;
	add.s64 	%rd5, %rd2, %rd29;
	add.s32 	%r14, %r10, -1;
	and.b32  	%r32, %r10, 3;
	setp.lt.u32 	%p3, %r14, 3;
	mov.u32 	%r31, 0;
	@%p3 bra 	LBB0_5;
	and.b32  	%r31, %r10, -4;
	add.s32 	%r16, %r9, 2;
	cvt.s64.s32 	%rd30, %r16;
	mul.lo.s64 	%rd31, %rd22, %rd30;
	shl.b64 	%rd6, %rd31, 2;
	shl.b64 	%rd7, %rd22, 4;
	add.s32 	%r17, %r9, 1;
	cvt.s64.s32 	%rd32, %r17;
	mul.lo.s64 	%rd33, %rd22, %rd32;
	shl.b64 	%rd8, %rd33, 2;
	add.s32 	%r3, %r9, 3;
	cvt.s64.s32 	%rd34, %r9;
	mul.lo.s64 	%rd35, %rd22, %rd34;
	shl.b64 	%rd9, %rd35, 2;
	add.s64 	%rd68, %rd1, 8;
	mov.u32 	%r30, 0;
	mov.u64 	%rd69, %rd5;
LBB0_4:
	ld.param.s32 	%rd36, [%rd68+-8];
	mul.lo.s64 	%rd37, %rd36, %rd22;
	add.s64 	%rd38, %rd69, %rd9;
	ld.global.u32 	%r18, [%rd38];
	shl.b64 	%rd39, %rd37, 2;
	add.s64 	%rd40, %rd5, %rd39;
	ld.global.u32 	%r19, [%rd40];
	st.global.u32 	[%rd38], %r19;
	st.global.u32 	[%rd40], %r18;
	ld.param.s32 	%rd41, [%rd68+-4];
	mul.lo.s64 	%rd42, %rd41, %rd22;
	add.s64 	%rd43, %rd69, %rd8;
	ld.global.u32 	%r20, [%rd43];
	shl.b64 	%rd44, %rd42, 2;
	add.s64 	%rd45, %rd5, %rd44;
	ld.global.u32 	%r21, [%rd45];
	st.global.u32 	[%rd43], %r21;
	st.global.u32 	[%rd45], %r20;
	ld.param.s32 	%rd46, [%rd68];
	mul.lo.s64 	%rd47, %rd46, %rd22;
	add.s64 	%rd48, %rd69, %rd6;
	ld.global.u32 	%r22, [%rd48];
	shl.b64 	%rd49, %rd47, 2;
	add.s64 	%rd50, %rd5, %rd49;
	ld.global.u32 	%r23, [%rd50];
	st.global.u32 	[%rd48], %r23;
	st.global.u32 	[%rd50], %r22;
	add.s32 	%r24, %r3, %r30;
	cvt.s64.s32 	%rd51, %r24;
	mul.lo.s64 	%rd52, %rd51, %rd22;
	ld.param.s32 	%rd53, [%rd68+4];
	mul.lo.s64 	%rd54, %rd53, %rd22;
	shl.b64 	%rd55, %rd52, 2;
	add.s64 	%rd56, %rd5, %rd55;
	ld.global.u32 	%r25, [%rd56];
	shl.b64 	%rd57, %rd54, 2;
	add.s64 	%rd58, %rd5, %rd57;
	ld.global.u32 	%r26, [%rd58];
	st.global.u32 	[%rd56], %r26;
	st.global.u32 	[%rd58], %r25;
	add.s32 	%r30, %r30, 4;
	add.s64 	%rd69, %rd69, %rd7;
	add.s64 	%rd68, %rd68, 16;
	setp.ne.s32 	%p4, %r31, %r30;
	@%p4 bra 	LBB0_4;
LBB0_5:
	setp.eq.s32 	%p5, %r32, 0;
	@%p5 bra 	LBB0_8;
	mul.wide.u32 	%rd59, %r31, 4;
	add.s64 	%rd71, %rd1, %rd59;
	add.s32 	%r27, %r31, %r9;
	cvt.s64.s32 	%rd60, %r27;
	mul.lo.s64 	%rd61, %rd22, %rd60;
	add.s64 	%rd62, %rd4, %rd61;
	shl.b64 	%rd63, %rd62, 2;
	add.s64 	%rd70, %rd2, %rd63;
	shl.b64 	%rd17, %rd22, 2;
LBB0_7:
	.pragma "nounroll";
	ld.param.s32 	%rd64, [%rd71];
	mul.lo.s64 	%rd65, %rd64, %rd22;
	ld.global.u32 	%r28, [%rd70];
	shl.b64 	%rd66, %rd65, 2;
	add.s64 	%rd67, %rd5, %rd66;
	ld.global.u32 	%r29, [%rd67];
	st.global.u32 	[%rd70], %r29;
	st.global.u32 	[%rd67], %r28;
	add.s64 	%rd71, %rd71, 4;
	add.s64 	%rd70, %rd70, %rd17;
	add.s32 	%r32, %r32, -1;
	setp.ne.s32 	%p6, %r32, 0;
	@%p6 bra 	LBB0_7;
LBB0_8:
	ret;

}
.visible .entry swap_8(
	.param .u64 swap_8_param_0,
	.param .u64 swap_8_param_1,
	.param .u64 swap_8_param_2,
	.param .u64 swap_8_param_3,
	.param .u32 swap_8_param_4,
	.param .u32 swap_8_param_5,
	.param .align 4 .b8 swap_8_param_6[256]
)
{
	.reg .pred 	%p<7>;
	.reg .b32 	%r<23>;
	.reg .b64 	%rd<82>;

	ld.param.u64 	%rd26, [swap_8_param_3];
	mov.u32 	%r11, %ctaid.x;
	mul.wide.u32 	%rd27, %r11, 256;
	mov.u32 	%r12, %tid.x;
	cvt.u64.u32 	%rd28, %r12;
	add.s64 	%rd3, %rd27, %rd28;
	setp.ge.s64 	%p1, %rd3, %rd26;
	@%p1 bra 	LBB1_8;
	ld.param.u32 	%r10, [swap_8_param_5];
	setp.lt.s32 	%p2, %r10, 1;
	@%p2 bra 	LBB1_8;
	ld.param.u32 	%r9, [swap_8_param_4];
	ld.param.u64 	%rd23, [swap_8_param_2];
	ld.param.u64 	%rd22, [swap_8_param_1];
	ld.param.u64 	%rd24, [swap_8_param_0];
	mov.b64 	%rd25, swap_8_param_6;
	mov.u64 	%rd1, %rd25;
	cvta.to.global.u64 	%rd2, %rd24;
	mul.lo.s64 	%rd4, %rd3, %rd23;
	shl.b64 	%rd29, %rd4, 3;
	add.s64 	%rd5, %rd2, %rd29;
	add.s32 	%r14, %r10, -1;
	and.b32  	%r22, %r10, 3;
	setp.lt.u32 	%p3, %r14, 3;
	mov.u32 	%r21, 0;
	@%p3 bra 	LBB1_5;
	and.b32  	%r21, %r10, -4;
	add.s32 	%r16, %r9, 2;
	cvt.s64.s32 	%rd30, %r16;
	mul.lo.s64 	%rd31, %rd22, %rd30;
	shl.b64 	%rd6, %rd31, 3;
	shl.b64 	%rd7, %rd22, 5;
	add.s32 	%r17, %r9, 1;
	cvt.s64.s32 	%rd32, %r17;
	mul.lo.s64 	%rd33, %rd22, %rd32;
	shl.b64 	%rd8, %rd33, 3;
	add.s32 	%r3, %r9, 3;
	cvt.s64.s32 	%rd34, %r9;
	mul.lo.s64 	%rd35, %rd22, %rd34;
	shl.b64 	%rd9, %rd35, 3;
	add.s64 	%rd78, %rd1, 8;
	mov.u32 	%r20, 0;
	mov.u64 	%rd79, %rd5;
LBB1_4:
	ld.param.s32 	%rd36, [%rd78+-8];
	mul.lo.s64 	%rd37, %rd36, %rd22;
	add.s64 	%rd38, %rd79, %rd9;
	ld.global.u64 	%rd39, [%rd38];
	shl.b64 	%rd40, %rd37, 3;
	add.s64 	%rd41, %rd5, %rd40;
	ld.global.u64 	%rd42, [%rd41];
	st.global.u64 	[%rd38], %rd42;
	st.global.u64 	[%rd41], %rd39;
	ld.param.s32 	%rd43, [%rd78+-4];
	mul.lo.s64 	%rd44, %rd43, %rd22;
	add.s64 	%rd45, %rd79, %rd8;
	ld.global.u64 	%rd46, [%rd45];
	shl.b64 	%rd47, %rd44, 3;
	add.s64 	%rd48, %rd5, %rd47;
	ld.global.u64 	%rd49, [%rd48];
	st.global.u64 	[%rd45], %rd49;
	st.global.u64 	[%rd48], %rd46;
	ld.param.s32 	%rd50, [%rd78];
	mul.lo.s64 	%rd51, %rd50, %rd22;
	add.s64 	%rd52, %rd79, %rd6;
	ld.global.u64 	%rd53, [%rd52];
	shl.b64 	%rd54, %rd51, 3;
	add.s64 	%rd55, %rd5, %rd54;
	ld.global.u64 	%rd56, [%rd55];
	st.global.u64 	[%rd52], %rd56;
	st.global.u64 	[%rd55], %rd53;
	add.s32 	%r18, %r3, %r20;
	cvt.s64.s32 	%rd57, %r18;
	mul.lo.s64 	%rd58, %rd57, %rd22;
	ld.param.s32 	%rd59, [%rd78+4];
	mul.lo.s64 	%rd60, %rd59, %rd22;
	shl.b64 	%rd61, %rd58, 3;
	add.s64 	%rd62, %rd5, %rd61;
	ld.global.u64 	%rd63, [%rd62];
	shl.b64 	%rd64, %rd60, 3;
	add.s64 	%rd65, %rd5, %rd64;
	ld.global.u64 	%rd66, [%rd65];
	st.global.u64 	[%rd62], %rd66;
	st.global.u64 	[%rd65], %rd63;
	add.s32 	%r20, %r20, 4;
	add.s64 	%rd79, %rd79, %rd7;
	add.s64 	%rd78, %rd78, 16;
	setp.ne.s32 	%p4, %r21, %r20;
	@%p4 bra 	LBB1_4;
LBB1_5:
	setp.eq.s32 	%p5, %r22, 0;
	@%p5 bra 	LBB1_8;
	mul.wide.u32 	%rd67, %r21, 4;
	add.s64 	%rd81, %rd1, %rd67;
	add.s32 	%r19, %r21, %r9;
	cvt.s64.s32 	%rd68, %r19;
	mul.lo.s64 	%rd69, %rd22, %rd68;
	add.s64 	%rd70, %rd4, %rd69;
	shl.b64 	%rd71, %rd70, 3;
	add.s64 	%rd80, %rd2, %rd71;
	shl.b64 	%rd17, %rd22, 3;
LBB1_7:
	.pragma "nounroll";
	ld.param.s32 	%rd72, [%rd81];
	mul.lo.s64 	%rd73, %rd72, %rd22;
	ld.global.u64 	%rd74, [%rd80];
	shl.b64 	%rd75, %rd73, 3;
	add.s64 	%rd76, %rd5, %rd75;
	ld.global.u64 	%rd77, [%rd76];
	st.global.u64 	[%rd80], %rd77;
	st.global.u64 	[%rd76], %rd74;
	add.s64 	%rd81, %rd81, 4;
	add.s64 	%rd80, %rd80, %rd17;
	add.s32 	%r22, %r22, -1;
	setp.ne.s32 	%p6, %r22, 0;
	@%p6 bra 	LBB1_7;
LBB1_8:
	ret;

}
.visible .entry swap_16(
	.param .u64 swap_16_param_0,
	.param .u64 swap_16_param_1,
	.param .u64 swap_16_param_2,
	.param .u64 swap_16_param_3,
	.param .u32 swap_16_param_4,
	.param .u32 swap_16_param_5,
	.param .align 4 .b8 swap_16_param_6[256]
)
{
	.local .align 16 .b8 	__local_depot2[16];
	.reg .b64 	%SP;
	.reg .b64 	%SPL;
	.reg .pred 	%p<6>;
	.reg .b32 	%r<17>;
	.reg .b64 	%rd<64>;

	mov.u64 	%SPL, __local_depot2;
	ld.param.u64 	%rd13, [swap_16_param_3];
	mov.u32 	%r8, %ctaid.x;
	mul.wide.u32 	%rd15, %r8, 256;
	mov.u32 	%r9, %tid.x;
	cvt.u64.u32 	%rd16, %r9;
	add.s64 	%rd4, %rd15, %rd16;
	setp.ge.s64 	%p1, %rd4, %rd13;
	@%p1 bra 	LBB2_7;
	ld.param.u32 	%r7, [swap_16_param_5];
	setp.lt.s32 	%p2, %r7, 1;
	@%p2 bra 	LBB2_7;
	ld.param.u32 	%r6, [swap_16_param_4];
	ld.param.u64 	%rd10, [swap_16_param_2];
	ld.param.u64 	%rd9, [swap_16_param_1];
	ld.param.u64 	%rd11, [swap_16_param_0];
	mov.b64 	%rd12, swap_16_param_6;
	mov.u64 	%rd1, %rd12;
	cvta.to.global.u64 	%rd2, %rd11;
	add.u64 	%rd3, %SPL, 0;
	mul.lo.s64 	%rd17, %rd4, %rd10;
	shl.b64 	%rd18, %rd17, 4;
	add.s64 	%rd5, %rd2, %rd18;
	and.b32  	%r1, %r7, 1;
	setp.eq.s32 	%p3, %r7, 1;
	mov.u32 	%r16, 0;
	@%p3 bra 	LBB2_5;
	and.b32  	%r16, %r7, -2;
	add.s64 	%rd63, %rd1, 4;
	mov.u32 	%r15, 0;
LBB2_4:
	add.s32 	%r12, %r6, %r15;
	cvt.s64.s32 	%rd19, %r12;
	mul.lo.s64 	%rd20, %rd19, %rd9;
	ld.param.s32 	%rd21, [%rd63+-4];
	mul.lo.s64 	%rd22, %rd21, %rd9;
	shl.b64 	%rd23, %rd20, 4;
	add.s64 	%rd24, %rd5, %rd23;
	ld.global.u64 	%rd25, [%rd24];
	st.local.u64 	[%rd3], %rd25;
	ld.global.u64 	%rd26, [%rd24+8];
	st.local.u64 	[%rd3+8], %rd26;
	shl.b64 	%rd27, %rd22, 4;
	add.s64 	%rd28, %rd5, %rd27;
	ld.global.u64 	%rd29, [%rd28];
	st.global.u64 	[%rd24], %rd29;
	ld.global.u64 	%rd30, [%rd28+8];
	st.global.u64 	[%rd24+8], %rd30;
	ld.local.u64 	%rd31, [%rd3];
	st.global.u64 	[%rd28], %rd31;
	ld.local.u64 	%rd32, [%rd3+8];
	st.global.u64 	[%rd28+8], %rd32;
	add.s32 	%r13, %r12, 1;
	cvt.s64.s32 	%rd33, %r13;
	mul.lo.s64 	%rd34, %rd33, %rd9;
	ld.param.s32 	%rd35, [%rd63];
	mul.lo.s64 	%rd36, %rd35, %rd9;
	shl.b64 	%rd37, %rd34, 4;
	add.s64 	%rd38, %rd5, %rd37;
	ld.global.u64 	%rd39, [%rd38];
	st.local.u64 	[%rd3], %rd39;
	ld.global.u64 	%rd40, [%rd38+8];
	st.local.u64 	[%rd3+8], %rd40;
	shl.b64 	%rd41, %rd36, 4;
	add.s64 	%rd42, %rd5, %rd41;
	ld.global.u64 	%rd43, [%rd42];
	st.global.u64 	[%rd38], %rd43;
	ld.global.u64 	%rd44, [%rd42+8];
	st.global.u64 	[%rd38+8], %rd44;
	ld.local.u64 	%rd45, [%rd3];
	st.global.u64 	[%rd42], %rd45;
	ld.local.u64 	%rd46, [%rd3+8];
	st.global.u64 	[%rd42+8], %rd46;
	add.s32 	%r15, %r15, 2;
	add.s64 	%rd63, %rd63, 8;
	setp.ne.s32 	%p4, %r16, %r15;
	@%p4 bra 	LBB2_4;
LBB2_5:
	setp.eq.s32 	%p5, %r1, 0;
	@%p5 bra 	LBB2_7;
	add.s32 	%r14, %r16, %r6;
	cvt.s64.s32 	%rd47, %r14;
	mul.lo.s64 	%rd48, %rd47, %rd9;
	mul.wide.u32 	%rd49, %r16, 4;
	add.s64 	%rd50, %rd1, %rd49;
	ld.param.s32 	%rd51, [%rd50];
	mul.lo.s64 	%rd52, %rd51, %rd9;
	shl.b64 	%rd53, %rd48, 4;
	add.s64 	%rd54, %rd5, %rd53;
	ld.global.u64 	%rd55, [%rd54];
	st.local.u64 	[%rd3], %rd55;
	ld.global.u64 	%rd56, [%rd54+8];
	st.local.u64 	[%rd3+8], %rd56;
	shl.b64 	%rd57, %rd52, 4;
	add.s64 	%rd58, %rd5, %rd57;
	ld.global.u64 	%rd59, [%rd58];
	st.global.u64 	[%rd54], %rd59;
	ld.global.u64 	%rd60, [%rd58+8];
	st.global.u64 	[%rd54+8], %rd60;
	ld.local.u64 	%rd61, [%rd3];
	st.global.u64 	[%rd58], %rd61;
	ld.local.u64 	%rd62, [%rd3+8];
	st.global.u64 	[%rd58+8], %rd62;
LBB2_7:
	ret;

}
)ptx";

} // namespace hpart
