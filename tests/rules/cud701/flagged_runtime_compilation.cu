// Options for the run-time compiler, with a leftover from debugging.
#include <string>
#include <vector>

bool compile(const std::string& source, const char* const* options, int count);

bool build(const std::string& source)
{
    std::vector<const char*> options = {
        "--std=c++17",
        "--gpu-architecture=compute_90",
        "--device-debug",  // expect: CUD701@9
    };
    return compile(source, options.data(), static_cast<int>(options.size()));
}
