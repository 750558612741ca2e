// System statistics.
#pragma once
struct sysinfo { long uptime; unsigned long loads[3], totalram, freeram; unsigned int mem_unit; };
extern "C" int sysinfo(struct sysinfo *info) noexcept;
extern "C" int get_nprocs() noexcept;
