/* The listing of the interface in Khaleghzadeh's thesis, Appendix F, as it is printed. */
// clang-format off
#include <iostream>
#include "hcl_hpopta.h"
using namespace std;
int main(int argc, char** argv)
{
    unsigned int npoints[2] = {4,3};
    unsigned int psizes[7] = {1,2,3,4,1,2,3};
    double etimes[7] = {10,30,20,25,15,25,35};
    unsigned int xOpt[2];
    double eOpt;
    int rc = hcl_hpopta(1,
                   4,
                   2,
                   npoints,
                   psizes,
                   etimes,
                   xOpt,
                   &eOpt
    );
    if (rc == 0)
    {
        return 0;
    }
    else
    {
        //Error has occured
        return -1;
    }
}
