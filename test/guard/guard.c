/*
 * Stands between a program and the network (LD_PRELOAD): whatever would leave this machine is refused and written down, be it of Node.js or of
 * a native library. `guard.ts` compiles and drives it.
 *
 *   GUARD_LOG  the file that is written to, a line for each refusal: `connect 192.0.2.1:4001`, `look-up example.org`
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void tell(const char *what, const char *where, int port) {
  const char *path = getenv("GUARD_LOG");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file < 0) abort();
  char line[512];
  int length = port < 0 ? snprintf(line, sizeof line, "%s %s\n", what, where) : snprintf(line, sizeof line, "%s %s:%d\n", what, where, port);
  if (length >= (int)sizeof line) length = sizeof line - 1;
  if (write(file, line, length) != length) abort();
  close(file);
}

/* Whether the address is of another machine, or of many; what is no address of IP stays on this one. */
static int leaves(const char *what, const struct sockaddr *to) {
  char text[INET6_ADDRSTRLEN];
  int port;
  if (to == NULL) return 0;
  if (to->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const void *)to;
    if ((ntohl(in->sin_addr.s_addr) >> 24) == 127) return 0;
    inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
    port = ntohs(in->sin_port);
  } else if (to->sa_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const void *)to;
    if (IN6_IS_ADDR_LOOPBACK(&in->sin6_addr)) return 0;
    if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr) && in->sin6_addr.s6_addr[12] == 127) return 0;
    inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof text);
    port = ntohs(in->sin6_port);
  } else
    return 0;
  tell(what, text, port);
  errno = EACCES;
  return 1;
}

int connect(int fd, const struct sockaddr *to, socklen_t size) {
  return leaves("connect", to) ? -1 : REAL(connect)(fd, to, size);
}

ssize_t sendto(int fd, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
  return leaves("send", to) ? -1 : REAL(sendto)(fd, bytes, length, flags, to, size);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  return leaves("send", message->msg_name) ? -1 : REAL(sendmsg)(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
  for (unsigned i = 0; i < count; i++)
    if (leaves("send", messages[i].msg_hdr.msg_name)) return -1;
  return REAL(sendmmsg)(fd, messages, count, flags);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  struct in6_addr address;
  if (name != NULL && strcmp(name, "localhost") != 0 && inet_pton(AF_INET, name, &address) != 1 && inet_pton(AF_INET6, name, &address) != 1) {
    tell("look-up", name, -1);
    return EAI_FAIL;
  }
  return REAL(getaddrinfo)(name, service, hints, found);
}
