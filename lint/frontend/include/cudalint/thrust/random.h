// thrust: random engines and distributions.
#pragma once
#include "core.h"
#include <random>
#pragma clang force_cuda_host_device begin
namespace thrust {
namespace random {
typedef std::_engine<unsigned int, 10> minstd_rand;
typedef std::_engine<unsigned int, 11> minstd_rand0;
typedef std::_engine<unsigned int, 12> taus88;
typedef std::_engine<unsigned long, 13> ranlux24;
typedef std::_engine<unsigned long, 14> ranlux48;
typedef minstd_rand default_random_engine;
using std::uniform_int_distribution;
using std::uniform_real_distribution;
using std::normal_distribution;
}
using namespace random;
}
#pragma clang force_cuda_host_device end
