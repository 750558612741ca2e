// C input and output.
#pragma once
#include "cudalint/base.h"
#include <stdarg.h>
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define L_tmpnam 20
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
typedef struct _IO_FILE FILE;
typedef struct { long pos; } fpos_t;
typedef long off_t;
typedef long ssize_t;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#pragma clang force_cuda_host_device begin
extern "C" {
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *str, const char *format, ...) noexcept;
int snprintf(char *str, size_t size, const char *format, ...) noexcept;
int dprintf(int fd, const char *format, ...);
int asprintf(char **strp, const char *format, ...) noexcept;
int vprintf(const char *format, va_list ap);
int vfprintf(FILE *stream, const char *format, va_list ap);
int vsprintf(char *str, const char *format, va_list ap) noexcept;
int vsnprintf(char *str, size_t size, const char *format, va_list ap) noexcept;
int vasprintf(char **strp, const char *format, va_list ap) noexcept;
int scanf(const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int sscanf(const char *str, const char *format, ...) noexcept;
int vsscanf(const char *str, const char *format, va_list ap) noexcept;
FILE *fopen(const char *pathname, const char *mode);
FILE *fopen64(const char *pathname, const char *mode);
FILE *freopen(const char *pathname, const char *mode, FILE *stream);
FILE *fdopen(int fd, const char *mode) noexcept;
FILE *popen(const char *command, const char *type);
FILE *tmpfile();
int pclose(FILE *stream);
int fclose(FILE *stream);
int fflush(FILE *stream);
int fileno(FILE *stream) noexcept;
size_t fread(void *ptr, size_t size, size_t nmemb, FILE *stream);
size_t fwrite(const void *ptr, size_t size, size_t nmemb, FILE *stream);
int fgetc(FILE *stream);
char *fgets(char *s, int size, FILE *stream);
int fputc(int c, FILE *stream);
int fputs(const char *s, FILE *stream);
int getc(FILE *stream);
int getchar();
char *gets(char *s);
int putc(int c, FILE *stream);
int putchar(int c);
int puts(const char *s);
int ungetc(int c, FILE *stream);
ssize_t getline(char **lineptr, size_t *n, FILE *stream);
ssize_t getdelim(char **lineptr, size_t *n, int delim, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
int fseeko(FILE *stream, off_t offset, int whence);
long ftell(FILE *stream);
off_t ftello(FILE *stream);
void rewind(FILE *stream);
int fgetpos(FILE *stream, fpos_t *pos);
int fsetpos(FILE *stream, const fpos_t *pos);
int feof(FILE *stream) noexcept;
int ferror(FILE *stream) noexcept;
void clearerr(FILE *stream) noexcept;
void perror(const char *s);
int remove(const char *pathname) noexcept;
int rename(const char *oldpath, const char *newpath) noexcept;
char *tmpnam(char *s) noexcept;
void setbuf(FILE *stream, char *buf) noexcept;
int setvbuf(FILE *stream, char *buf, int mode, size_t size) noexcept;
}
#pragma clang force_cuda_host_device end
