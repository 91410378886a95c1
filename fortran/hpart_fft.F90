! Fourier transforms, once a precision and number of dimensions; the module hpart gives them their names.
#define REALS real(real32)
#define NUMBERS complex(real32)
module hpart_fft_c1
  use hpart_transforms, only: transform => cfft, forward => sfft_r2c, backward => sfft_c2r
#define SHAPE (:)
#define DIMENSIONS 1
#include "hpart_fft.inc"
end module

module hpart_fft_c2
  use hpart_transforms, only: transform => cfft, forward => sfft_r2c, backward => sfft_c2r
#define SHAPE (:, :)
#define DIMENSIONS 2
#include "hpart_fft.inc"
end module

module hpart_fft_c3
  use hpart_transforms, only: transform => cfft, forward => sfft_r2c, backward => sfft_c2r
#define SHAPE (:, :, :)
#define DIMENSIONS 3
#include "hpart_fft.inc"
end module

module hpart_fft_c4
  use hpart_transforms, only: transform => cfft, forward => sfft_r2c, backward => sfft_c2r
#define SHAPE (:, :, :, :)
#define DIMENSIONS 4
#include "hpart_fft.inc"
end module

#undef REALS
#undef NUMBERS

#define REALS real(real64)
#define NUMBERS complex(real64)
module hpart_fft_z1
  use hpart_transforms, only: transform => zfft, forward => dfft_r2c, backward => dfft_c2r
#define SHAPE (:)
#define DIMENSIONS 1
#include "hpart_fft.inc"
end module

module hpart_fft_z2
  use hpart_transforms, only: transform => zfft, forward => dfft_r2c, backward => dfft_c2r
#define SHAPE (:, :)
#define DIMENSIONS 2
#include "hpart_fft.inc"
end module

module hpart_fft_z3
  use hpart_transforms, only: transform => zfft, forward => dfft_r2c, backward => dfft_c2r
#define SHAPE (:, :, :)
#define DIMENSIONS 3
#include "hpart_fft.inc"
end module

module hpart_fft_z4
  use hpart_transforms, only: transform => zfft, forward => dfft_r2c, backward => dfft_c2r
#define SHAPE (:, :, :, :)
#define DIMENSIONS 4
#include "hpart_fft.inc"
end module
