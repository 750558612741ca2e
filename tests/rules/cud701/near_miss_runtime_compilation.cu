// Device debugging of kernels that are compiled at run time, on request.
#include <string>
#include <vector>

bool compile(const std::string& source, const char* const* options, int count);

bool build(const std::string& source, bool for_debugger)
{
    std::vector<const char*> options = {"--std=c++17", "--gpu-architecture=compute_90"};
    if (for_debugger)
        options.push_back("--device-debug");
#ifdef KERNEL_DEBUG
    options.push_back("-G");
#endif
    return compile(source, options.data(), static_cast<int>(options.size()));
}
