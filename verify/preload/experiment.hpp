// One launch of a kernel, repeated as it is, as flagged and as fixed, each time from the same memory.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "job.hpp"
#include "registry.hpp"
#include "watchdog.hpp"

namespace preload {

struct Launch {
    const void *key;  // host stub or kernel handle
    Kernel kernel;
    int number;  // counts this kernel's launches from 0
    Shape shape;
    void **args;
    const CUlaunchAttribute *attributes;
    unsigned attribute_count;
    std::function<cudaError_t()> real;
};

// Why an experiment ends early. `fatal`: the context is gone, so that the program cannot go on.
struct Stop {
    std::string stage, message;
    bool fatal = false;
};

enum Side { OWN, FLAGGED, FIXED };
inline const char *const SIDE_NAMES[] = {"own", "flagged", "fixed"};

enum Kind { BITWISE, TOLERANCE, DIFFERENT };
inline const char *const KIND_NAMES[] = {"bitwise", "tolerance", "different"};

struct Finding {
    Kind kind = BITWISE;
    double difference = 0;
    std::string where;

    void merge(const Finding &other) {
        difference = std::fmax(difference, other.difference);
        if (other.kind > kind) kind = other.kind, where = other.where;
    }
};

// Same layout as in compare.cu.
struct Difference {
    unsigned long long first = ~0ull, count = 0, nan = 0, largest = 0, magnitude = 0;
};

// A piece of memory that a kernel can change. A device variable has one address per module.
struct Region {
    CUdeviceptr at[3];
    size_t size;
    std::string label;
    bool variable = false, changed = false, dirty = false;
    CUdeviceptr saved = 0, reference = 0;
    std::map<size_t, std::pair<int, std::string>> types{};  // offset -> parameter and element type
};

inline void check(CUresult status, const char *stage, const char *what) {
    if (status == CUDA_SUCCESS) return;
    const char *text = nullptr;
    DRIVER(cuGetErrorString)(status, &text);
    throw Stop{stage, std::string(what) + ": " + (text ? text : "unknown error")};
}

class Experiment {
  public:
    Experiment(Want &want, Launch launch) : want_(want), launch_(std::move(launch)) {
        file_ = "result-" + want_.id + "-" + std::to_string(want_.done) + ".json";
    }
    ~Experiment() { release(); }

    // Whether the kernel had work; the memory is as before the launch then. Throws Stop.
    bool run() {
        stage("setup", job().limit_s);
        check(DRIVER(cuCtxSynchronize)(), "program", "the program had failed before");
        load();
        collect();
        save();
        double began = now();
        execute(OWN, job().limit_s);
        limit_s_ = std::fmax(5.0, 20 * (now() - began));
        if (!keep()) {
            watchdog().stop();
            return false;
        }
        Finding apart = again(FLAGGED);
        if (apart.kind == DIFFERENT) varies_.merge(again(OWN));
        if (apart.kind == DIFFERENT && varies_.kind != DIFFERENT)
            throw Stop{"setup", "the kernel built apart gives other results than in the program (" + apart.where + ")"};
        if (want_.mode == "race") race();
        else compare();
        finish();
        return true;
    }

    // After a failure that has left the context usable: put the program's memory back.
    void recover() {
        if (!results_) return;
        for (Region &region : regions_) region.dirty = true;
        try {
            finish();
        } catch (const Stop &) {
            _exit(87);
        }
    }

    void write(const Stop *stop) {
        watchdog().stop();
        std::ostringstream out;
        const Shape &s = launch_.shape, &f = fixed_shape_;
        out << "{\"launch\":" << launch_.number << ",\"shape\":" << text(s) << ",\"fixed_shape\":" << text(f)
            << ",\"bytes\":" << total_ << ",\"changed\":" << changed_ << ",\"regions\":" << regions_.size()
            << ",\"equal\":" << quoted(KIND_NAMES[equal_.kind]) << ",\"max_difference\":" << number(equal_.difference)
            << ",\"where\":" << quoted(equal_.kind == BITWISE ? varies_.where : equal_.where)
            << ",\"varies\":" << (varies_.kind == DIFFERENT ? "true" : "false")
            << ",\"fixed_varies\":" << (fixed_varies_.kind == DIFFERENT ? "true" : "false") << ",\"runs\":" << runs_
            << ",\"device\":" << quoted(device_name());
        const char *names[] = {"before_ms", "after_ms", "again_ms"};
        for (int i = 0; i < 3; ++i) {
            out << ",\"" << names[i] << "\":[";
            for (size_t k = 0; k < times_[i].size(); ++k) out << (k ? "," : "") << number(times_[i][k]);
            out << "]";
        }
        if (stop) out << ",\"stage\":" << quoted(stop->stage) << ",\"error\":" << quoted(stop->message);
        out << "}";
        put(file_, out.str());
    }

  private:
    static std::string number(double x) {
        char out[32];
        if (!std::isfinite(x)) return "1e308";
        snprintf(out, sizeof out, "%.9g", x);
        return out;
    }
    static std::string text(const Shape &s) {
        std::ostringstream out;
        out << "[" << s.grid[0] << "," << s.grid[1] << "," << s.grid[2] << "," << s.block[0] << "," << s.block[1] << ","
            << s.block[2] << "," << s.shared << "]";
        return out.str();
    }
    static std::string device_name() {
        char name[128] = "";
        CUdevice device;
        if (DRIVER(cuCtxGetDevice)(&device) == CUDA_SUCCESS) DRIVER(cuDeviceGetName)(name, sizeof name, device);
        return name;
    }

    void stage(const char *name, double seconds) { watchdog().start(file_, name, seconds); }

    // ---- the two modules -------------------------------------------------------------------------------------

    // A name in a cubin: nvcc puts a hash of the compilation into names of internal linkage.
    std::string renamed(std::string name, int side) const {
        if (want_.hash[side].size() != 8) return name;
        auto replace = [&](size_t at) {
            if (at + 8 <= name.size()) name.replace(at, 8, want_.hash[side]);
        };
        for (const std::string mark : {"_INTERNAL_", "_GLOBAL__N__"})
            for (size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1))
                replace(at + mark.size());
        const std::string local = "__nv_static_";  // of separate compilation: LENGTH__HASH follow
        if (name.rfind(local, 0) == 0) replace(name.find("__", local.size()) + 2);
        return name;
    }

    void load() {
        check(DRIVER(cuModuleLoad)(&helper_, job().compare.c_str()), "setup", "the comparing kernels cannot be loaded");
        fixed_shape_ = launch_.shape;
        if (!want_.fixed_shapes.empty()) {
            auto found = want_.fixed_shapes.find(launch_.number);
            if (found == want_.fixed_shapes.end()) throw Stop{"setup", "the fixed program has no such launch"};
            fixed_shape_ = found->second;
        }
        for (int side = 0; side < 2; ++side) {
            const char *who = SIDE_NAMES[side + 1];
            check(DRIVER(cuModuleLoad)(&modules_[side], want_.cubin[side].c_str()), "setup", who);
            check(DRIVER(cuModuleGetFunction)(&functions_[side], modules_[side], want_.name[side].c_str()), "setup", who);
            prepare(functions_[side], side == 0 ? launch_.shape : fixed_shape_);
        }
        if (parameters(functions_[0]) != parameters(functions_[1]))
            throw Stop{"setup", "the fix changes the kernel's parameters"};
    }

    // The attributes that the program has given its own kernel.
    void prepare(CUfunction function, const Shape &shape) {
        CUfunction own = nullptr;
        auto by_symbol = RUNTIME(cudaGetFuncBySymbol);
        if (!by_symbol || by_symbol(reinterpret_cast<cudaFunction_t *>(&own), launch_.key) != cudaSuccess) {
            if (auto clear = RUNTIME(cudaGetLastError)) clear();
            auto of_kernel = DRIVER(cuKernelGetFunction);
            auto key = reinterpret_cast<CUkernel>(const_cast<void *>(launch_.key));
            if (!of_kernel || of_kernel(&own, key) != CUDA_SUCCESS) own = nullptr;
        }
        auto copy = [&](CUfunction_attribute which) {
            int value = 0;
            if (own && DRIVER(cuFuncGetAttribute)(&value, which, own) == CUDA_SUCCESS)
                DRIVER(cuFuncSetAttribute)(function, which, value);
        };
        copy(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
        copy(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
        if (shape.shared > 48 * 1024)
            DRIVER(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(shape.shared));
    }

    static std::vector<std::pair<size_t, size_t>> parameters(CUfunction function) {
        std::vector<std::pair<size_t, size_t>> out;
        auto ask = DRIVER(cuFuncGetParamInfo);
        for (size_t offset, size; ask && ask(function, out.size(), &offset, &size) == CUDA_SUCCESS;)
            out.emplace_back(offset, size);
        return out;
    }

    // ---- memory ----------------------------------------------------------------------------------------------

    void collect() {
        CUcontext context = nullptr;
        DRIVER(cuCtxGetCurrent)(&context);
        Registry &known = registry();
        std::lock_guard lock(known.mutex);
        for (const auto &[at, allocation] : known.memory)
            if (!allocation.host && (!allocation.context || allocation.context == context)) add(at, allocation.size);
        for (const Variable &variable : known.variables)
            if (variable.module == launch_.kernel.module) add_variable(variable);
        auto sizes = parameters(functions_[0]);
        for (size_t i = 0; i < sizes.size(); ++i)
            for (size_t at = 0; at + 8 <= sizes[i].second; at += 8) follow(int(i), at, sizes[i].second == 8);
    }

    Region &add(CUdeviceptr at, size_t size) {
        regions_.push_back({{at, at, at}, size, "allocation of " + std::to_string(size) + " bytes"});
        return regions_.back();
    }

    void add_variable(const Variable &variable) {
        void *own = nullptr;
        if (variable.managed) own = *static_cast<void *const *>(variable.host);
        else if (RUNTIME(cudaGetSymbolAddress)(&own, variable.host) != cudaSuccess) {
            RUNTIME(cudaGetLastError)();
            return;
        }
        Region region{{reinterpret_cast<CUdeviceptr>(own), 0, 0}, variable.size, "device variable " + variable.name};
        region.variable = true;
        for (int side = 0; side < 2; ++side) {
            size_t size = 0;
            std::string name = renamed(variable.name, side);
            if (DRIVER(cuModuleGetGlobal)(&region.at[side + 1], &size, modules_[side], name.c_str()) != CUDA_SUCCESS)
                region.at[side + 1] = 0;
            else if (size != variable.size) throw Stop{"setup", "the fix changes the size of " + variable.name};
        }
        if (own && (region.at[FLAGGED] || region.at[FIXED])) regions_.push_back(region);
    }

    // What a word of an argument points to: named by the parameter, and added where it was not known.
    void follow(int parameter, size_t offset, bool pointer) {
        CUdeviceptr at;
        memcpy(&at, static_cast<const char *>(launch_.args[parameter]) + offset, sizeof at);
        if (at < 4096) return;
        Region *found = inside(at);
        if (!found) found = unknown(at);
        if (!found || !pointer) return;
        auto type = want_.types.find(parameter);
        if (type != want_.types.end()) found->types[at - found->at[OWN]] = {parameter, type->second};
    }

    Region *inside(CUdeviceptr at) {
        for (Region &region : regions_)
            if (at >= region.at[OWN] && at < region.at[OWN] + region.size) return &region;
        return nullptr;
    }

    Region *unknown(CUdeviceptr at) {
        Registry &known = registry();
        auto after = known.memory.upper_bound(at);
        if (after != known.memory.begin()) {
            auto own = std::prev(after);
            if (own->second.host && at < own->first + own->second.size) return &add(own->first, own->second.size);
        }
        CUdeviceptr base = 0;
        size_t size = 0;
        if (DRIVER(cuMemGetAddressRange)(&base, &size, at) != CUDA_SUCCESS || !size) return nullptr;
        return &add(base, size);
    }

    CUdeviceptr allocate(size_t size, double share) {
        size_t free = 0, total = 0;
        check(DRIVER(cuMemGetInfo)(&free, &total), "memory", "the free memory");
        if (double(size) > share * double(free)) {
            char text[120];
            snprintf(text, sizeof text, "copies of %.1f GiB do not fit in the %.1f GiB that are free", size / 1073741824.0,
                     free / 1073741824.0);
            throw Stop{"memory", text};
        }
        CUdeviceptr made = 0;
        check(DRIVER(cuMemAlloc)(&made, size ? size : 256), "memory", "a copy of the memory");
        owned_.push_back(made);
        return made;
    }

    static size_t padded(size_t size) { return (size + 255) / 256 * 256; }
    static void copy(CUdeviceptr to, CUdeviceptr from, size_t size) {
        check(DRIVER(cuMemcpyAsync)(to, from, size, nullptr), "setup", "copying memory");
    }

    void save() {
        for (const Region &region : regions_) total_ += padded(region.size);
        CUdeviceptr next = allocate(total_, 0.8);
        for (Region &region : regions_) {
            copy(region.saved = next, region.at[OWN], region.size);
            next += padded(region.size);
        }
        results_ = allocate(std::max<size_t>(1, regions_.size()) * sizeof(Difference), 0.8);
        check(DRIVER(cuCtxSynchronize)(), "setup", "copying memory");
    }

    // Keep what the program's own kernel wrote; false when it changed nothing.
    bool keep() {
        auto found = differences(OWN, false);
        for (size_t i = 0; i < regions_.size(); ++i) {
            regions_[i].changed = regions_[i].dirty = found[i].count > 0;
            if (regions_[i].changed) changed_ += padded(regions_[i].size);
        }
        if (!changed_) return false;
        CUdeviceptr next = allocate(changed_, 0.8);
        for (Region &region : regions_) {
            if (!region.changed) continue;
            region.reference = next;
            next += padded(region.size);
        }
        reference(OWN);
        return true;
    }

    // Take a side's memory as what others are compared with.
    void reference(Side side) {
        for (Region &region : regions_) {
            if (region.dirty && !region.changed) {
                region.reference = allocate(region.size, 0.8);
                region.changed = true;
            }
            if (region.changed && region.at[side]) copy(region.reference, region.at[side], region.size);
        }
        check(DRIVER(cuCtxSynchronize)(), "setup", "copying memory");
    }

    void restore(Side side) {
        for (Region &region : regions_)
            if (region.at[side] && (region.dirty || region.variable)) copy(region.at[side], region.saved, region.size);
    }

    void release() {
        for (CUdeviceptr at : owned_) DRIVER(cuMemFree)(at);
        owned_.clear();
        for (CUmodule module : {helper_, modules_[0], modules_[1]})
            if (module) DRIVER(cuModuleUnload)(module);
        helper_ = modules_[0] = modules_[1] = nullptr;
    }

    // ---- running and comparing -------------------------------------------------------------------------------

    CUresult enqueue(Side side) {
        const Shape &s = side == FIXED ? fixed_shape_ : launch_.shape;
        CUlaunchConfig config{};
        config.gridDimX = s.grid[0], config.gridDimY = s.grid[1], config.gridDimZ = s.grid[2];
        config.blockDimX = s.block[0], config.blockDimY = s.block[1], config.blockDimZ = s.block[2];
        config.sharedMemBytes = s.shared;
        config.attrs = const_cast<CUlaunchAttribute *>(launch_.attributes);
        config.numAttrs = launch_.attribute_count;
        return DRIVER(cuLaunchKernelEx)(&config, functions_[side - 1], launch_.args, nullptr);
    }

    void execute(Side side, double seconds) {
        stage(SIDE_NAMES[side], seconds);
        CUresult status = CUDA_SUCCESS;
        if (side == OWN) {
            if (launch_.real() != cudaSuccess) throw Stop{"program", "the program's own launch fails"};
        } else {
            status = enqueue(side);
            check(status, SIDE_NAMES[side], "the launch");
        }
        status = DRIVER(cuCtxSynchronize)();
        if (status == CUDA_SUCCESS) return;
        const char *text = nullptr;
        DRIVER(cuGetErrorString)(status, &text);
        throw Stop{SIDE_NAMES[side], text ? text : "unknown error", true};
    }

    Finding again(Side side) {
        restore(side);
        execute(side, limit_s_);
        ++runs_;
        return difference(side);
    }

    void compute(const char *kernel, CUdeviceptr a, CUdeviceptr b, size_t count, CUdeviceptr out) {
        CUfunction function;
        check(DRIVER(cuModuleGetFunction)(&function, helper_, kernel), "setup", kernel);
        void *args[] = {&a, &b, &count, &out};
        unsigned blocks = unsigned(std::min<size_t>(1024, count / 256 + 1));
        check(DRIVER(cuLaunchKernel)(function, blocks, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr), "setup", kernel);
    }

    // Where each region's bytes differ from the reference (or from what was saved).
    std::vector<Difference> differences(Side side, bool kept) {
        std::vector<Difference> out(regions_.size());
        size_t bytes = out.size() * sizeof(Difference);
        if (out.empty()) return out;
        check(DRIVER(cuMemcpyHtoD)(results_, out.data(), bytes), "setup", "comparing");
        for (size_t i = 0; i < out.size(); ++i) {
            const Region &r = regions_[i];
            if (r.at[side])
                compute("differ_bytes", r.at[side], kept && r.changed ? r.reference : r.saved, r.size,
                        results_ + i * sizeof(Difference));
        }
        check(DRIVER(cuMemcpyDtoH)(out.data(), results_, bytes), "setup", "comparing");
        return out;
    }

    Finding difference(Side side) {
        Finding worst;
        auto found = differences(side, true);
        for (size_t i = 0; i < regions_.size(); ++i) {
            if (!found[i].count) continue;
            regions_[i].dirty = true;
            worst.merge(judged(regions_[i], side, found[i].first));
        }
        return worst;
    }

    // How a region that differs does so: by the element type of each of its stretches.
    Finding judged(const Region &region, Side side, size_t first) {
        Finding worst;
        if (!region.changed || region.types.empty() || first < region.types.begin()->first)
            return {DIFFERENT, INFINITY, region.label + ", byte " + std::to_string(first)};
        for (auto it = region.types.begin(); it != region.types.end(); ++it) {
            auto next = std::next(it);
            size_t end = next == region.types.end() ? region.size : next->first;
            worst.merge(stretch(region, side, it->first, end - it->first, it->second.first, it->second.second));
        }
        return worst;
    }

    Finding stretch(const Region &region, Side side, size_t at, size_t size, int parameter, const std::string &type) {
        static const std::map<std::string, size_t> widths{{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
        auto width = widths.find(type);
        std::string kernel = width == widths.end() ? "bytes" : type;
        size_t unit = width == widths.end() ? 1 : width->second;
        Difference found;
        check(DRIVER(cuMemcpyHtoD)(results_, &found, sizeof found), "setup", "comparing");
        compute(("differ_" + kernel).c_str(), region.at[side] + at, region.reference + at, size / unit, results_);
        check(DRIVER(cuMemcpyDtoH)(&found, results_, sizeof found), "setup", "comparing");
        if (!found.count) return {};
        std::string where = "argument " + std::to_string(parameter) + ", " +
                            (unit == 1 ? "byte " : "element ") + std::to_string(found.first);
        if (width == widths.end()) return {DIFFERENT, INFINITY, where};
        if (found.nan) return {DIFFERENT, INFINITY, where + " (NaN on one side)"};
        double largest, magnitude;
        memcpy(&largest, &found.largest, 8), memcpy(&magnitude, &found.magnitude, 8);
        double relative = largest / (magnitude > 0 ? magnitude : 1.0);
        return {relative <= job().tolerance ? TOLERANCE : DIFFERENT, relative, where};
    }

    // ---- the two questions -----------------------------------------------------------------------------------

    void compare() {
        varies_.merge(again(FLAGGED));
        equal_ = again(FIXED);
        equal_.merge(again(FIXED));
        if (varies_.kind != DIFFERENT && equal_.kind != DIFFERENT && want_.done == 0) clock();
    }

    void race() {
        double deadline = now() + job().budget_s;
        equal_ = again(FIXED);
        CUstream other;
        check(DRIVER(cuStreamCreate)(&other, CU_STREAM_NON_BLOCKING), "setup", "a second stream");
        CUdeviceptr data = allocate(1 << 26, 0.9);
        for (int run = 0; run < MAX_RACE_RUNS && now() < deadline && varies_.kind != DIFFERENT; ++run) {
            if (run % 2) disturb(other, data);
            varies_.merge(again(FLAGGED));
        }
        again(FIXED);
        reference(FIXED);
        int runs = std::max(MIN_FIXED_RUNS, std::min(runs_, MAX_RACE_RUNS));
        deadline = now() + job().budget_s;
        for (int run = 0; run < runs && fixed_varies_.kind != DIFFERENT; ++run) {
            if (run >= MIN_FIXED_RUNS && now() > deadline) break;
            if (run % 2) disturb(other, data);
            fixed_varies_.merge(again(FIXED));
        }
        DRIVER(cuCtxSynchronize)();
        DRIVER(cuStreamDestroy)(other);
    }

    void disturb(CUstream stream, CUdeviceptr data) {
        CUfunction function;
        check(DRIVER(cuModuleGetFunction)(&function, helper_, "noise"), "setup", "noise");
        int count = 1 << 24;
        void *args[] = {&data, &count};
        check(DRIVER(cuLaunchKernel)(function, 64, 1, 1, 256, 1, 1, 0, stream, args, nullptr), "setup", "noise");
    }

    // Interleaved times of flagged, fixed and flagged again, in random order, with a cold L2 cache.
    void clock() {
        int cache = 0;
        CUdevice device;
        DRIVER(cuCtxGetDevice)(&device);
        DRIVER(cuDeviceGetAttribute)(&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
        size_t flush = std::max<size_t>(1 << 20, 2 * size_t(cache));
        CUdeviceptr scratch = allocate(flush, 0.9);
        CUevent start, end;
        check(DRIVER(cuEventCreate)(&start, CU_EVENT_DEFAULT), "setup", "an event");
        check(DRIVER(cuEventCreate)(&end, CU_EVENT_DEFAULT), "setup", "an event");
        std::mt19937 random(1);
        double deadline = now() + job().budget_s;
        for (int round = -WARM_UP; round < MAX_ROUNDS; ++round) {
            if (round >= MIN_ROUNDS && now() > deadline) break;
            int order[] = {0, 1, 2};
            std::shuffle(order, order + 3, random);
            for (int which : order) {
                Side side = which == 1 ? FIXED : FLAGGED;
                stage(SIDE_NAMES[side], limit_s_);
                restore(side);
                check(DRIVER(cuMemsetD8Async)(scratch, 0, flush, nullptr), "setup", "flushing the cache");
                check(DRIVER(cuEventRecord)(start, nullptr), SIDE_NAMES[side], "timing");
                check(enqueue(side), SIDE_NAMES[side], "timing");
                check(DRIVER(cuEventRecord)(end, nullptr), SIDE_NAMES[side], "timing");
                if (CUresult status = DRIVER(cuEventSynchronize)(end); status != CUDA_SUCCESS)
                    throw Stop{SIDE_NAMES[side], "the kernel failed while it was timed", true};
                float ms = 0;
                check(DRIVER(cuEventElapsedTime)(&ms, start, end), SIDE_NAMES[side], "timing");
                if (round >= 0) times_[which].push_back(ms);
            }
        }
        DRIVER(cuEventDestroy)(start), DRIVER(cuEventDestroy)(end);
    }

    // Put the program's memory back as it was before the launch.
    void finish() {
        restore(OWN);
        check(DRIVER(cuCtxSynchronize)(), "setup", "restoring memory");
    }

    static constexpr int WARM_UP = 2, MIN_ROUNDS = 5, MAX_ROUNDS = 200, MAX_RACE_RUNS = 200, MIN_FIXED_RUNS = 8;

    Want &want_;
    Launch launch_;
    Shape fixed_shape_{};
    std::string file_;
    CUmodule helper_ = nullptr, modules_[2] = {};
    CUfunction functions_[2] = {};
    std::vector<Region> regions_;
    std::vector<CUdeviceptr> owned_;
    CUdeviceptr results_ = 0;
    size_t total_ = 0, changed_ = 0;
    double limit_s_ = 30;
    int runs_ = 0;
    Finding equal_, varies_, fixed_varies_;
    std::vector<double> times_[3];
};

}  // namespace preload
