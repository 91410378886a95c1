/* A code that was written for HCLWattsUp. The meter that the test names in the environment is none: the energy is NaN. */
#include <hcl_wattsup.h>

int main(void)
{
    double energy;
    HCL_WATTSUP_START();
    energy = HCL_WATTSUP_STOP();
    return isnan(energy) ? 0 : 1;
}
