/* Nothing before it, nothing but it. */
#include <hcl_wattsup.h>

double energy_of_alone(void);
double energy_of_alone(void)
{
    HCL_WATTSUP_START();
    return HCL_WATTSUP_STOP();
}
