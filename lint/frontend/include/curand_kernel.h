// cuRAND device API.
#pragma once
#include <curand.h>
#pragma clang force_cuda_host_device begin
struct alignas(8) curandStateXORWOW { unsigned int words[12]; };
typedef struct curandStateXORWOW curandStateXORWOW_t;
struct alignas(16) curandStatePhilox4_32_10 { unsigned int words[16]; };
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct alignas(8) curandStateMRG32k3a { unsigned int words[18]; };
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
struct curandStateMtgp32 { unsigned int words[1030]; };
typedef struct curandStateMtgp32 curandStateMtgp32_t;
struct curandStateSobol32 { unsigned int words[35]; };
typedef struct curandStateSobol32 curandStateSobol32_t;
struct curandStateScrambledSobol32 { unsigned int words[36]; };
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
struct alignas(8) curandStateSobol64 { unsigned int words[132]; };
typedef struct curandStateSobol64 curandStateSobol64_t;
struct alignas(8) curandStateScrambledSobol64 { unsigned int words[134]; };
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *state);
void skipahead(unsigned long long n, curandStateXORWOW *state);
void skipahead_sequence(unsigned long long n, curandStateXORWOW *state);
void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10 *state);
void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state);
void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state);
void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a *state);
void skipahead(unsigned long long n, curandStateMRG32k3a *state);
void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state);
void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset, curandStateSobol32 *state);
void curand_init(unsigned int *direction_vectors, unsigned int scramble_c, unsigned int offset, curandStateScrambledSobol32 *state);
void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset, curandStateSobol64 *state);
void curand_init(unsigned long long *direction_vectors, unsigned long long scramble_c, unsigned long long offset, curandStateScrambledSobol64 *state);
template <class State> struct curand_word { typedef unsigned int type; };
template <> struct curand_word<curandStateSobol64> { typedef unsigned long long type; };
template <> struct curand_word<curandStateScrambledSobol64> { typedef unsigned long long type; };
template <class State> typename curand_word<State>::type curand(State *state);
template <class State> float curand_uniform(State *state);
template <class State> double curand_uniform_double(State *state);
template <class State> float curand_normal(State *state);
template <class State> double curand_normal_double(State *state);
template <class State> float2 curand_normal2(State *state);
template <class State> double2 curand_normal2_double(State *state);
template <class State> float curand_log_normal(State *state, float mean, float stddev);
template <class State> double curand_log_normal_double(State *state, double mean, double stddev);
template <class State> float2 curand_log_normal2(State *state, float mean, float stddev);
template <class State> unsigned int curand_poisson(State *state, double lambda);
uint4 curand4(curandStatePhilox4_32_10 *state);
float4 curand_uniform4(curandStatePhilox4_32_10 *state);
double2 curand_uniform2_double(curandStatePhilox4_32_10 *state);
double4 curand_uniform4_double(curandStatePhilox4_32_10 *state);
float4 curand_normal4(curandStatePhilox4_32_10 *state);
float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float stddev);
uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda);
#pragma clang force_cuda_host_device end
