#include "shim.h"

// SwiftPM builds a C target only if it has a source file. This file refuses a libpq without pipeline mode, which version 14 added.
#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or newer is needed: the driver sends several statements in one round trip"
#endif
