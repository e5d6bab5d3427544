#ifndef TIDINGS_CRABBITMQ_H
#define TIDINGS_CRABBITMQ_H

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

/* Swift cannot call variadic functions such as amqp_login_with_properties. The channel limit is 1: a connection here carries one
   channel, because rabbitmq-c 0.11 can drop queued frames of a second channel. */
static inline amqp_rpc_reply_t tidings_amqp_login(amqp_connection_state_t state, const char *virtual_host, int frame_max,
                                                  int heartbeat_seconds, const amqp_table_t *properties, const char *user,
                                                  const char *password) {
  return amqp_login_with_properties(state, virtual_host, 1, frame_max, heartbeat_seconds, properties, AMQP_SASL_METHOD_PLAIN, user,
                                    password);
}

/* Returns the bytes written to the socket that the peer has not acknowledged yet, or -1 on error. ioctl is variadic too. */
static inline int tidings_amqp_unacknowledged_bytes(int socket) {
  int bytes = 0;
  return ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

#endif
