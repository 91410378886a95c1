// The library's distributions as a build without GSL has them, in a namespace of their own.
#undef HPART_HAVE_GSL
#ifdef HPART_HAVE_BOOST_MATH
#define hpart hpart_without_gsl
#include "../../../src/measurement/distributions.cpp" // NOLINT(bugprone-suspicious-include)
#endif
