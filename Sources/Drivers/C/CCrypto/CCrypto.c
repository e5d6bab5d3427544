// A C target needs one source file; everything Swift calls comes from the headers.
#include "CCrypto.h"
