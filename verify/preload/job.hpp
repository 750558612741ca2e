// The job that the verifier wrote, and the files in which the library answers.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace preload {

struct Shape {
    unsigned grid[3], block[3], shared;
};

// One kernel to look at: its name in the program and in the two cubins, and how.
struct Want {
    std::string id, kernel, mode;
    int launches = 1;   // at how many launches results are compared; times are taken at the first
    std::string cubin[2], name[2], hash[2];
    std::map<int, std::string> types;   // parameter -> element type of the buffer that it points to
    std::map<int, Shape> fixed_shapes;  // launch number -> shape of the fixed program's launch

    int idle = 0, done = 0;
    bool finished = false;
};

// A block of host memory to pin: the `nth` of its size that a program of that name allocates.
struct PinnedBlock {
    std::string program;
    size_t size;
    int nth;
};

struct Job {
    std::string folder, mode, compare;
    double budget_s = 2, limit_s = 30, tolerance = 1e-5;
    std::vector<Want> wants;
    bool pinning = false;  // host memory of asynchronous copies is to be pinned: these blocks from the start
    std::vector<PinnedBlock> pinned;

    bool finished() const {
        for (const Want &want : wants)
            if (!want.finished) return false;
        return !wants.empty();
    }
    std::string path(const std::string &name) const { return folder + "/" + name; }
};

inline std::vector<std::string> fields(const std::string &line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) out.push_back(field);
    return out;
}

inline bool exists(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

inline Shape shape_of(const std::string &text) {
    Shape s{};
    std::istringstream in(text);
    for (unsigned &x : s.grid) in >> x;
    for (unsigned &x : s.block) in >> x;
    in >> s.shared;
    return s;
}

inline void read_line(Job &job, const std::vector<std::string> &f) {
    auto want = [&](const std::string &id) -> Want * {
        for (Want &w : job.wants)
            if (w.id == id) return &w;
        return nullptr;
    };
    if (f[0] == "mode") job.mode = f.at(1);
    else if (f[0] == "compare") job.compare = f.at(1);
    else if (f[0] == "budget") job.budget_s = std::stod(f.at(1));
    else if (f[0] == "limit") job.limit_s = std::stod(f.at(1));
    else if (f[0] == "tolerance") job.tolerance = std::stod(f.at(1));
    else if (f[0] == "pinning") job.pinning = f.at(1) == "1";
    else if (f[0] == "pin") job.pinned.push_back({f.at(1), std::stoull(f.at(2)), std::stoi(f.at(3))});
    else if (f[0] == "want") {
        Want w;
        w.id = f.at(1), w.kernel = f.at(2), w.mode = f.at(3), w.launches = std::stoi(f.at(4));
        for (int side = 0; side < 2; ++side) {
            w.cubin[side] = f.at(5 + 3 * side), w.name[side] = f.at(6 + 3 * side);
            w.hash[side] = f.size() > size_t(7 + 3 * side) ? f.at(7 + 3 * side) : "";
        }
        w.finished = exists(job.path("done-" + w.id));
        job.wants.push_back(w);
    } else if (f[0] == "type") {
        if (Want *w = want(f.at(1))) w->types[std::stoi(f.at(2))] = f.at(3);
    } else if (f[0] == "shape") {
        if (Want *w = want(f.at(1))) w->fixed_shapes[std::stoi(f.at(2))] = shape_of(f.at(3));
    }
}

// The job of this process; a job without a mode where none was given or it cannot be read.
inline Job &job() {
    static Job *made = [] {
        Job *j = new Job;
        const char *folder = getenv("CUDALINT_PRELOAD");
        if (!folder) return j;
        j->folder = folder;
        std::ifstream in(j->path("job.txt"));
        try {
            for (std::string line; std::getline(in, line);)
                if (!line.empty()) read_line(*j, fields(line));
        } catch (const std::exception &) {
            j->mode.clear();
        }
        return j;
    }();
    return *made;
}

// Add a line to a file of the job; short lines of several processes do not mix.
inline void append(const std::string &name, const std::string &line) {
    int file = open(job().path(name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return;
    if (write(file, line.data(), line.size()) < 0) perror("cudalint preload");
    close(file);
}

// Write a whole file at once, so that a reader never sees half of it.
inline void put(const std::string &name, const std::string &text) {
    std::string path = job().path(name), early = path + ".part";
    { std::ofstream(early) << text; }
    if (rename(early.c_str(), path.c_str()) != 0) perror("cudalint preload");
}

inline std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') out += '\\', out += c;
        else out += c < 0x20 ? ' ' : static_cast<char>(c);
    }
    return out + "\"";
}

}  // namespace preload
