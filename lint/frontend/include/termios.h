// Terminal modes.
#pragma once
typedef unsigned int tcflag_t;
struct termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; unsigned char c_line, c_cc[32]; };
#define ICANON 2
#define ECHO 8
#define TCSANOW 0
#define VMIN 6
#define VTIME 5
extern "C" int tcgetattr(int fd, struct termios *termios_p) noexcept;
extern "C" int tcsetattr(int fd, int optional_actions, const struct termios *termios_p) noexcept;
