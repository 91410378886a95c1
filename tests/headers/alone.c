/* Nothing before it, nothing but it. */
#include <hpart.h>

hpart_status status_of_alone(void);
hpart_status status_of_alone(void) { return HPART_SUCCESS; }
