// SwiftPM builds a C target only if it has a source file. Tidings adds nothing to nghttp2.
#include "CNGHTTP2.h"
