// nghttp2, the HTTP/2 library: frames, header compression, flow control and stream states, without sockets.
#ifndef TIDINGS_CNGHTTP2_H
#define TIDINGS_CNGHTTP2_H

#include <nghttp2/nghttp2.h>

#endif
