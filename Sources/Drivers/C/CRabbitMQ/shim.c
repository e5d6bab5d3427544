/* SwiftPM builds a C target only if it has a source file. Everything is inline in the header. */
#include "CRabbitMQ.h"
