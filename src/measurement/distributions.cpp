#include "measurement/distributions.hpp"

#if defined(HPART_HAVE_GSL)
#include <gsl/gsl_cdf.h>
#elif defined(HPART_HAVE_BOOST_MATH)
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#else
#include "core/error.hpp"
#endif

namespace hpart
{

#if defined(HPART_HAVE_GSL)

double t_quantile(double p, std::int64_t degrees) { return gsl_cdf_tdist_Pinv(p, static_cast<double>(degrees)); }
double t_upper_tail(double value, double degrees) { return gsl_cdf_tdist_Q(value, degrees); }
double chi_squared_upper_tail(double value, double degrees) { return gsl_cdf_chisq_Q(value, degrees); }
double normal_p(double value) { return gsl_cdf_ugaussian_P(value); }
double coin_p(std::int64_t heads, std::int64_t throws)
{
    return gsl_cdf_binomial_P(static_cast<unsigned>(heads), 0.5, static_cast<unsigned>(throws));
}

#elif defined(HPART_HAVE_BOOST_MATH)

namespace math = boost::math;

double t_quantile(double p, std::int64_t degrees)
{
    return quantile(math::students_t(static_cast<double>(degrees)), p);
}
double t_upper_tail(double value, double degrees) { return cdf(complement(math::students_t(degrees), value)); }
double chi_squared_upper_tail(double value, double degrees)
{
    if (value <= 0) return 1; // where Boost 1.74 overflows from some thousand degrees on
    return cdf(complement(math::chi_squared(degrees), value));
}
double normal_p(double value) { return cdf(math::normal(), value); }
double coin_p(std::int64_t heads, std::int64_t throws)
{
    return cdf(math::binomial(static_cast<double>(throws), 0.5), static_cast<double>(heads));
}

#else

namespace
{
[[noreturn]] void fail_without_library()
{
    fail(Status::unsupported, "this build has neither GSL nor Boost.Math; measuring needs one of them");
}
} // namespace

double t_quantile(double, std::int64_t) { fail_without_library(); }
double t_upper_tail(double, double) { fail_without_library(); }
double chi_squared_upper_tail(double, double) { fail_without_library(); }
double normal_p(double) { fail_without_library(); }
double coin_p(std::int64_t, std::int64_t) { fail_without_library(); }

#endif

} // namespace hpart
