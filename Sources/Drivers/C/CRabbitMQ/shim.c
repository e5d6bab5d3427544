/* Everything is inline in the header; a C target needs one source file to be built. */
#include "CRabbitMQ.h"
