// POSIX processes and files.
#pragma once
#include <sys/types.h>
#include <getopt.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
extern "C" {
extern char **environ;
int access(const char *pathname, int mode) noexcept;
unsigned int alarm(unsigned int seconds) noexcept;
int chdir(const char *path) noexcept;
int close(int fd);
int dup(int oldfd) noexcept;
int dup2(int oldfd, int newfd) noexcept;
int execv(const char *pathname, char *const argv[]) noexcept;
int execvp(const char *file, char *const argv[]) noexcept;
int execl(const char *pathname, const char *arg, ...) noexcept;
int execlp(const char *file, const char *arg, ...) noexcept;
void _exit(int status) noexcept __attribute__((noreturn));
pid_t fork() noexcept;
int fsync(int fd);
int ftruncate(int fd, off_t length) noexcept;
char *getcwd(char *buf, size_t size) noexcept;
int gethostname(char *name, size_t len) noexcept;
int getpagesize() noexcept;
pid_t getpid() noexcept;
pid_t getppid() noexcept;
uid_t getuid() noexcept;
int isatty(int fd) noexcept;
off_t lseek(int fd, off_t offset, int whence) noexcept;
int pipe(int pipefd[2]) noexcept;
ssize_t pread(int fd, void *buf, size_t count, off_t offset);
ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset);
ssize_t read(int fd, void *buf, size_t count);
ssize_t readlink(const char *pathname, char *buf, size_t bufsiz) noexcept;
int rmdir(const char *pathname) noexcept;
unsigned int sleep(unsigned int seconds);
long sysconf(int name) noexcept;
int unlink(const char *pathname) noexcept;
int usleep(useconds_t usec);
ssize_t write(int fd, const void *buf, size_t count);
}
