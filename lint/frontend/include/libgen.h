// Path components.
#pragma once
extern "C" char *basename(char *path) noexcept;
extern "C" char *dirname(char *path) noexcept;
