/* The listing of the interface in Khaleghzadeh's thesis, Appendix F, as it is printed: it compiles and links. It cannot be run:
 * DEparetoSols and TEparetoSols point nowhere. */
// clang-format off
#include <iostream>
#include "hcl_hepopta.h"
using namespace std;
int main(int argc, char** argv)
{
    unsigned int npoints[2] = {4,3};
    unsigned int psizes[7] = {1,2,3,4,1,2,3};
    double etimes[7] = {10,30,20,25,15,25,35};
    double energies[7] = {10,30,20,25,15,25,35};
    unsigned int nDEParetoSolutions;
    double** DEparetoSols;
    unsigned int nTEParetoSolutions;
    double** TEparetoSols;
    int rc = hcl_hepopta(1,
                   4,
                   2,
                   100,
                   npoints,
                   psizes,
                   etimes,
                   energies,
                   &nDEParetoSolutions,
                   DEparetoSols,
                   &nTEParetoSolutions,
                   TEparetoSols
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
