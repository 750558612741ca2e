// Internet addresses.
#pragma once
#include <arpa/inet.h>
