// Device control.
#pragma once
extern "C" int ioctl(int fd, unsigned long request, ...) noexcept;
