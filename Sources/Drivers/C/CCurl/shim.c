// The package manager wants a source file in a C target; everything is in the header.
#include "shim.h"
