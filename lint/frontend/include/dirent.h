// Directories.
#pragma once
struct dirent { unsigned long d_ino; long d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
typedef struct __dirstream DIR;
extern "C" DIR *opendir(const char *name);
extern "C" struct dirent *readdir(DIR *dirp);
extern "C" int closedir(DIR *dirp);
