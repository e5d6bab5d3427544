// SwiftPM builds a C target only if it has a source file. Everything that Swift calls is in the headers.
#include "CCrypto.h"
