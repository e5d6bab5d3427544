// The inline functions of CTLS.h need one file that is compiled.
#include "CTLS.h"
