// Name of the system.
#pragma once
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65]; };
extern "C" int uname(struct utsname *buf) noexcept;
