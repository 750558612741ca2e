// Signals.
#pragma once
#include <sys/types.h>
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
typedef void (*sighandler_t)(int);
typedef int sig_atomic_t;
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
typedef struct { unsigned long bits[16]; } sigset_t;
typedef struct { int si_signo, si_errno, si_code; void *si_addr; } siginfo_t;
struct sigaction {
  sighandler_t sa_handler;
  void (*sa_sigaction)(int, siginfo_t *, void *);
  sigset_t sa_mask;
  int sa_flags;
};
extern "C" {
sighandler_t signal(int signum, sighandler_t handler) noexcept;
int raise(int sig) noexcept;
int kill(pid_t pid, int sig) noexcept;
int sigaction(int signum, const struct sigaction *act, struct sigaction *oldact) noexcept;
int sigemptyset(sigset_t *set) noexcept;
int sigaddset(sigset_t *set, int signum) noexcept;
int sigprocmask(int how, const sigset_t *set, sigset_t *oldset) noexcept;
}
