// SwiftPM builds a C target only if it has a source file. The inline functions are in CTLS.h.
#include "CTLS.h"
