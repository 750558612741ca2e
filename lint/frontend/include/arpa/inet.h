// Byte order and addresses of the Internet.
#pragma once
#include <stdint.h>
#include <sys/socket.h>
typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;
struct in_addr { in_addr_t s_addr; };
struct sockaddr_in {
  sa_family_t sin_family;
  in_port_t sin_port;
  struct in_addr sin_addr;
  unsigned char sin_zero[8];
};
#define INADDR_ANY ((in_addr_t)0)
extern "C" {
uint32_t htonl(uint32_t hostlong) noexcept;
uint16_t htons(uint16_t hostshort) noexcept;
uint32_t ntohl(uint32_t netlong) noexcept;
uint16_t ntohs(uint16_t netshort) noexcept;
in_addr_t inet_addr(const char *cp) noexcept;
char *inet_ntoa(struct in_addr in) noexcept;
int inet_pton(int af, const char *src, void *dst) noexcept;
}
