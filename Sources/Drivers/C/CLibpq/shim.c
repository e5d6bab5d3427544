#include "shim.h"

// The package manager wants one source in a C target; this one refuses a libpq without pipeline mode (added in 14).
#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or newer is needed: the driver sends several statements in one round trip"
#endif
