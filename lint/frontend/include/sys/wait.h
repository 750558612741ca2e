// Waiting for child processes.
#pragma once
#include <sys/types.h>
#define WNOHANG 1
#define WEXITSTATUS(status) (((status) & 0xff00) >> 8)
#define WIFEXITED(status) (((status) & 0x7f) == 0)
#define WIFSIGNALED(status) (((status) & 0x7f) != 0)
#define WTERMSIG(status) ((status) & 0x7f)
extern "C" pid_t wait(int *wstatus);
extern "C" pid_t waitpid(pid_t pid, int *wstatus, int options);
