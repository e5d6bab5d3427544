// SwiftPM builds a C target only if it has a source file. Everything is in the header.
#include "shim.h"
