// SwiftPM builds a C target from at least one file; nghttp2 needs nothing of ours.
#include "CNGHTTP2.h"
