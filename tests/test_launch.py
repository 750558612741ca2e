"""Launch shapes found by interpreting host code, and those guessed where there is no launch."""

from __future__ import annotations

import pytest
from cudalint.lint.analysis.launch import launch_shapes
from cudalint.lint.analysis.trace import LaunchShape, ShapeSource
from cudalint.lint.analysis.unit import Options
from cudalint.lint.frontend.parse import parse_file

KERNEL = "#include <cuda_runtime.h>\n__global__ void k(float* a, const float* b, int n) { a[threadIdx.x] = b[n]; }\n"


def shapes(source: str, kernel: str = "k", **options: object) -> tuple[LaunchShape, ...]:
    unit = parse_file("t.cu", content=source.encode())
    found = next(f for f in unit.kernels() if f.name == kernel)
    return launch_shapes(unit, found, Options(**options))  # type: ignore[arg-type]


def blocks(source: str, kernel: str = "k") -> list[tuple[int, int, int]]:
    return [s.block for s in shapes(source, kernel)]


@pytest.mark.parametrize(
    ("host", "block", "grid"),
    [
        ("k<<<4, 64>>>(a, b, 1);", (64, 1, 1), (4, 1, 1)),
        ("dim3 t(16, 8); k<<<dim3(2, 3), t>>>(a, b, 1);", (16, 8, 1), (2, 3, 1)),
        ("dim3 t; t.x = 32; t.y = 4; k<<<1, t>>>(a, b, 1);", (32, 4, 1), (1, 1, 1)),
        ("const int T = 8; dim3 t = dim3(T, T, 2); k<<<n, t>>>(a, b, n);", (8, 8, 2), (None, 1, 1)),
        ("int t = 100; t = t / 32 * 32; k<<<(1000 + t - 1) / t, t>>>(a, b, 1);", (96, 1, 1), (11, 1, 1)),
        ("k<<<(int)ceil(1000 / 128.0), min(128, 256)>>>(a, b, 1);", (128, 1, 1), (8, 1, 1)),
        ("int t = 32; while (n > t) n -= t; k<<<1, t>>>(a, b, 1);", (32, 1, 1), (1, 1, 1)),
    ],
)
def test_block_and_grid_from_host_constants(host: str, block: object, grid: object) -> None:
    (shape,) = shapes(KERNEL + "void run(float* a, float* b, int n) { " + host + " }")
    assert (shape.block, shape.grid, shape.source, shape.block_known) == (block, grid, ShapeSource.LAUNCH, True)


def test_values_follow_calls_members_and_macros() -> None:
    source = (
        KERNEL
        + """
    #define THREADS 192
    struct Config { int threads; dim3 grid() const { return dim3(threads / 64, 2); } };
    static int blocks(int n, int b) { return (n + b - 1) / b; }
    static void go(float* a, float* b, const Config& c, int n) { k<<<c.grid(), c.threads>>>(a, b, blocks(n, 10)); }
    int main() { float *a, *b; cudaMalloc(&a, 400); cudaMalloc((void**)&b, 100 * sizeof(double));
                 Config c; c.threads = THREADS; go(a, b + 16, c, 95); }
    """
    )
    (shape,) = shapes(source)
    assert shape.block == (192, 1, 1)
    assert shape.grid == (3, 2, 1)
    first, second, count = shape.args
    assert (first.bytes, first.offset_bytes, second.bytes, second.offset_bytes) == (400, 0, 800, 64)
    assert first.object != second.object
    assert count.number == 10


def test_two_parameters_with_one_buffer_alias() -> None:
    (shape,) = shapes(KERNEL + "void run(float* a, int n) { k<<<1, 32>>>(a, a, n); }")
    assert shape.args[0].object == shape.args[1].object
    assert shape.args[2].number is None


def test_sides_of_a_branch_stay_together() -> None:
    source = (
        KERNEL
        + """void run(float* a, float* b, int n, bool wide) {
        dim3 t(16, 16); if (wide) { t.x = 64; t.y = 4; } k<<<n, t>>>(a, b, n); }"""
    )
    assert sorted(blocks(source)) == [(16, 16, 1), (64, 4, 1)]


def test_a_sweep_gives_its_first_middle_and_last_block() -> None:
    source = KERNEL + "void run(float* a, float* b) { for (int t = 32; t <= 512; t *= 2) k<<<1, t>>>(a, b, t); }"
    assert sorted(blocks(source)) == [(32, 1, 1), (128, 1, 1), (512, 1, 1)]


def test_different_blocks_come_before_repeated_ones() -> None:
    launches = "".join(f"k<<<{g}, 32>>>(a, b, 0);" for g in range(1, 7)) + "k<<<1, 64>>>(a, b, 0);"
    found = shapes(KERNEL + "void run(float* a, float* b) { " + launches + " }")
    assert len(found) == 4
    assert {s.block[0] for s in found[:2]} == {32, 64}


def test_a_runtime_block_is_an_assumption_with_the_launch_arguments() -> None:
    (shape,) = shapes(KERNEL + "void run(float* a, float* b, int t) { k<<<7, t>>>(a, b, 5); }")
    assert shape.block == (256, 1, 1)
    assert not shape.block_known
    assert shape.args[2].number == 5


def test_template_instances_have_their_own_launches() -> None:
    source = """#include <cuda_runtime.h>
    template <int T> __global__ void k(float* a) { a[threadIdx.x + T] = 0; }
    void run(float* a) { k<64><<<1, 64>>>(a); k<128><<<1, 128>>>(a); }"""
    unit = parse_file("t.cu", content=source.encode())
    found = {f.template_args[0].value: launch_shapes(unit, f, Options())[0].block[0] for f in unit.kernels()}
    assert found == {64: 64, 128: 128}


@pytest.mark.parametrize(
    ("kernel", "expected", "source"),
    [
        ("__launch_bounds__(128) k(float* a) { a[threadIdx.x] = 0; }", [(128, 1, 1)], ShapeSource.LAUNCH_BOUNDS),
        (
            "k(float* a) { __shared__ float t[8][33]; int y = threadIdx.y; t[y][threadIdx.x] = 0; a[y] = t[0][y]; }",
            [(32, 8, 1)],
            ShapeSource.SHARED_EXTENT,
        ),
        ("k(float* a) { a[blockIdx.x * 64 + threadIdx.x] = 0; }", [(64, 1, 1)], ShapeSource.ASSUMED),
        ("k(float* a) { a[blockDim.x * blockIdx.x + threadIdx.x] = 0; }", [(256, 1, 1)], ShapeSource.ASSUMED),
        ("k(float* a) { a[threadIdx.y] = threadIdx.x; }", [(32, 8, 1), (16, 16, 1)], ShapeSource.ASSUMED),
        ("k(float* a) { a[threadIdx.z] = threadIdx.y; }", [(8, 8, 4)], ShapeSource.ASSUMED),
    ],
)
def test_guesses_without_a_launch(kernel: str, expected: object, source: ShapeSource) -> None:
    found = shapes("#include <cuda_runtime.h>\n__global__ void " + kernel)
    assert [s.block for s in found] == expected
    assert {s.source for s in found} == {source}


def test_options_override_the_launch_but_keep_its_arguments() -> None:
    source = KERNEL + "void run(float* a, float* b) { k<<<4, 64>>>(a, b, 3); }"
    (shape,) = shapes(source, block=(8, 8, 1), grid=(2, 2, 1))
    assert (shape.block, shape.grid, shape.source) == ((8, 8, 1), (2, 2, 1), ShapeSource.OPTION)
    assert shape.args[2].number == 3


COMMAND_LINE = """
#include <cstdlib>
int size(char **words) { return atoi(words[1]); }
int main(int argc, char *argv[]) {
    if (argc != 3) return 1;
    int n = size(argv), block = strtol(argv[2], NULL, 10);
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    k<<<(n + block - 1) / block, block>>>(a, b, n);
}
"""


def test_a_given_command_line_makes_sizes_known() -> None:
    (shape,) = shapes(KERNEL + COMMAND_LINE, argv=("program", "1000", "128"))
    assert (shape.block, shape.grid) == ((128, 1, 1), (8, 1, 1))
    assert [a.bytes for a in shape.args[:2]] == [4000, 4000]
    assert shape.args[2].number == 1000


def test_without_a_command_line_they_are_not_guessed() -> None:
    assert all(s.grid[0] is None for s in shapes(KERNEL + COMMAND_LINE))


def test_kernels_that_values_name_are_launched() -> None:
    source = """\
template <class T> __global__ void k(int n, T *a) { a[threadIdx.x] = n; }
__global__ void other(int n, float *a) { a[threadIdx.x] = n; }
template <class K, class... A> void by_chevrons(K kernel, int n, A... args) { kernel<<<n, 128>>>(n, args...); }
template <class K, class... A> void by_call(K kernel, int n, A... args) {
  cudaLaunchConfig_t c{};
  c.gridDim = 10;
  c.blockDim = 64;
  cudaLaunchKernelEx(&c, kernel, n, args...);
}
void run(float *a, int n, bool flag) {
  by_chevrons(k<float>, 7, a);
  by_call(k<float>, 7, a);
  void (*held)(int, float *) = flag ? other : k<float>;
  held<<<1, 96>>>(n, a);
}
"""
    assert blocks(source) == [(128, 1, 1), (64, 1, 1), (96, 1, 1)]
    assert blocks(source, "other") == [(96, 1, 1)]


OPTION_HELPERS = """
#include <cstdlib>
#include <cstring>
int skipped(char mark, const char *text) {
    int at = 0;
    while (text[at] == mark) at++;
    return at >= (int)strlen(text) - 1 ? 0 : at;
}
bool has_option(int argc, const char **argv, const char *name) {
    bool found = false;
    for (int i = 1; i < argc; i++) {
        const char *word = &argv[i][skipped('-', argv[i])];
        const char *equals = strchr(word, '=');
        int length = (int)(equals == 0 ? strlen(word) : equals - word);
        if (length == (int)strlen(name) && !strncasecmp(word, name, length)) { found = true; continue; }
    }
    return found;
}
int option(int argc, const char **argv, const char *name) {
    bool found = false;
    int value = -1;
    for (int i = 1; i < argc; i++) {
        const char *word = &argv[i][skipped('-', argv[i])];
        int length = (int)strlen(name);
        if (!strncasecmp(word, name, length)) {
            if (length + 1 <= (int)strlen(word)) value = atoi(&word[length + (word[length] == '=' ? 1 : 0)]);
            else value = 0;
            found = true;
        }
    }
    return found ? value : 0;
}
"""
GUARDED = OPTION_HELPERS + (
    """
int main(int argc, char **argv) {
    float *a, *b;
    int w = 640, h = 320, d = 8, n = 64;
    if (has_option(argc, (const char **)argv, "w")) w = option(argc, (const char **)argv, "w");
    if (has_option(argc, (const char **)argv, "h")) h = option(argc, (const char **)argv, "h");
    if (has_option(argc, (const char **)argv, "d")) d = option(argc, (const char **)argv, "d");
    if (has_option(argc, (const char **)argv, "n")) n = option(argc, (const char **)argv, "n");
    k<<<dim3(w / 32, h / 32, d), 32>>>(a, b, n);
}
"""
)


def test_options_that_may_be_given_leave_the_defaults_and_nothing_made_up() -> None:
    found = shapes(KERNEL + GUARDED)
    assert (found[0].block, found[0].grid, found[0].args[2].number) == ((32, 1, 1), (20, 10, 8), 64)
    assert {extent for s in found for extent in s.grid} <= {20, 10, 8, None}
    assert {s.args[2].number for s in found} <= {64, None}


def test_an_option_that_is_read_without_a_default_is_not_known() -> None:
    main = 'int main(int argc, const char **argv) { float *a, *b; k<<<4, 32>>>(a, b, option(argc, argv, "n")); }'
    assert [s.args[2].number for s in shapes(KERNEL + OPTION_HELPERS + main)] == [None]


def test_what_a_parser_falls_back_on_as_a_size_stays() -> None:
    host = "#include <cstdlib>\nint size(int c, char **v) { if (c < 2) return 512; return atoi(v[1]); }\n"
    main = "int main(int argc, char **argv) { float *a, *b; k<<<size(argc, argv), 32>>>(a, b, 1); }"
    assert {s.grid[0] for s in shapes(KERNEL + host + main)} == {512, None}


def test_a_given_command_line_is_read_by_option_helpers() -> None:
    (shape,) = shapes(KERNEL + GUARDED, argv=("program", "-w=1280", "--H=96", "n=7"))
    assert (shape.grid, shape.args[2].number) == ((40, 3, 8), 7)
    (shape,) = shapes(KERNEL + GUARDED, argv=("program",))
    assert (shape.grid, shape.args[2].number) == ((20, 10, 8), 64)


PARSER_LOOP = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
int main(int argc, char **argv) {
    float *a, *b;
    int n = 7, block = 64, m = 1, t = 1, u = 1;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);
        else if (strncmp(argv[i], "--block=", 8) == 0) block = atoi(argv[i] + 8);
        else if (std::string(argv[i]) == "-m") { m = std::stoi(argv[i + 1]); i++; }
        else if (word.substr(0, 2) == "-t") t = std::stoi(word.substr(2));
        else if (argv[i][0] == '-' && argv[i][1] == 'u') sscanf(argv[++i], "%d", &u);
        else break;
    }
    k<<<dim3(n, t, u), block>>>(a, b, m);
}
"""


def test_a_loop_over_a_given_command_line_is_followed() -> None:
    words = ("program", "-n", "100", "--block=128", "-m", "5", "-t9", "-u", "3", "end", "-n", "1")
    (shape,) = shapes(KERNEL + PARSER_LOOP, argv=words)
    assert (shape.block, shape.grid, shape.args[2].number) == ((128, 1, 1), (100, 9, 3), 5)


def test_a_loop_over_an_unknown_command_line_leaves_the_defaults() -> None:
    found = shapes(KERNEL + PARSER_LOOP)
    assert (found[0].block, found[0].block_known) == ((64, 1, 1), True)
    assert {s.grid[0] for s in found} <= {7, None}


GETOPT = """
#include <cstdlib>
#include <getopt.h>
int main(int argc, char **argv) {
    float *a, *b;
    int n = 7, block = 64, m = 1, fast = 1, c;
    static struct option table[] = {
        {"size", required_argument, 0, 'n'}, {"fast", no_argument, &fast, 5}, {0, 0, 0, 0}};
    while ((c = getopt_long(argc, argv, "n:b:h", table, NULL)) != -1) {
        switch (c) {
        case 'n': n = atoi(optarg); break;
        case 'b': block = strtol(optarg, NULL, 0); break;
        case 0: break;
        default: return 1;
        }
    }
    if (optind < argc) m = atoi(argv[optind]);
    k<<<dim3(n, fast), block>>>(a, b, m);
}
"""


@pytest.mark.parametrize(
    ("words", "block", "grid", "last"),
    [
        (("-n", "100", "-b0x80", "12"), 128, (100, 1), 12),
        (("--size=5", "--fast", "-b", "32", "--", "3"), 32, (5, 5), 3),
        (("--size", "9"), 64, (9, 1), 1),
    ],
)
def test_getopt_reads_a_given_command_line(
    words: tuple[str, ...], block: int, grid: tuple[int, int], last: int
) -> None:
    (shape,) = shapes(KERNEL + GETOPT, argv=("program", *words))
    assert (shape.block[0], shape.grid[:2], shape.args[2].number) == (block, grid, last)


def test_an_option_that_getopt_refuses_launches_nothing() -> None:
    assert all(not s.block_known for s in shapes(KERNEL + GETOPT, argv=("program", "-z")))


def test_what_all_devices_have_in_common_is_known() -> None:
    host = """
int main() {
    float *a, *b;
    cudaDeviceProp device;
    int warp;
    cudaGetDeviceProperties(&device, 0);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    int old = device.major < 2 ? 16 : 8, none = device.multiProcessorCount > 0 ? 4 : 3;
    k<<<device.multiProcessorCount, dim3(device.maxThreadsPerBlock / warp, old, none)>>>(a, b, device.warpSize);
}
"""
    (shape,) = shapes(KERNEL + host)
    assert (shape.block, shape.block_known) == ((32, 8, 4), True)
    assert (shape.grid, shape.args[2].number) == ((None, 1, 1), 32)


def test_a_block_that_the_occupancy_calculator_chooses_is_not_known() -> None:
    host = """
int main() {
    float *a, *b;
    int grid = 2, block = 128;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, k);
    k<<<(1000 + block - 1) / block, block>>>(a, b, grid);
}
"""
    (shape,) = shapes(KERNEL + host)
    assert (shape.block_known, shape.grid[0], shape.args[2].number) == (False, None, None)


STRINGS = """
#include <iostream>
#include <string>
int main(int argc, char **argv) {
    float *a, *b;
    std::string name = "a", same = "a", read = "a", next = "a";
    name += "b";
    if (argc > 1) same += "b";
    std::cin >> read;
    int n = 0;
    for (int i = 0; i < 4; i++) {
        if (next == "a") n = 2;
        next = "c";
    }
    k<<<dim3(name == "ab" ? 7 : 9, same == "a" ? 3 : 4), read == "a" ? 32 : 64>>>(a, b, name.size());
    k<<<n, 128>>>(a, b, 5);
}
"""


def test_texts_are_known_until_something_changes_them() -> None:
    found = shapes(KERNEL + STRINGS)
    assert {(s.grid[0], s.args[2].number) for s in found if s.block[0] < 128} == {(7, 2)}
    assert {(s.grid[1], s.block[0]) for s in found} >= {(3, 32), (4, 32)}
    assert {s.block[0] for s in found} == {32, 64, 128}
    assert (None, 128) in {(s.grid[0], s.block[0]) for s in found}


def test_a_known_block_counts_though_another_launch_guesses_the_same() -> None:
    source = KERNEL + "void f(float* a, float* b, int n) { k<<<1, n>>>(a, b, n); k<<<1, 256>>>(a, b, n); }"
    assert [(s.block, s.block_known) for s in shapes(source)] == [((256, 1, 1), True)]


@pytest.mark.parametrize(
    "host",
    [
        "int t[] = {32, 64, 128, 256, 512}; for (int i = 0; i < 5; ++i) k<<<1, t[i]>>>(a, b, 1);",
        "const int t[] = {32, 64, 128, 256, 512}; for (int s : t) k<<<1, s>>>(a, b, 1);",
        "for (int s : {32, 64, 128, 256, 512}) k<<<1, s>>>(a, b, 1);",
        "int t[] = {32, 64, 128, 256, 512}; k<<<1, t[n]>>>(a, b, 1);",
    ],
)
def test_an_element_of_a_table_is_its_first_middle_and_last_number(host: str) -> None:
    source = "#include <initializer_list>\n" + KERNEL + "void run(float* a, float* b, int n) { " + host + " }"
    assert sorted(blocks(source)) == [(32, 1, 1), (128, 1, 1), (512, 1, 1)]
    assert all(shape.block_known for shape in shapes(source))


@pytest.mark.parametrize(
    "host",
    [
        "int t[4] = {32, 64, n, 128}; k<<<1, t[n]>>>(a, b, 1);",
        "int t[] = {32, 64}; t[n] = n; k<<<1, t[n]>>>(a, b, 1);",
        "int t[] = {32, 64}; fill(t); for (int s : t) k<<<1, s>>>(a, b, 1);",
    ],
)
def test_nothing_is_known_of_a_table_that_is_not_known_all_through(host: str) -> None:
    source = KERNEL + "void fill(int*); void run(float* a, float* b, int n) { " + host + " }"
    assert not any(shape.block_known for shape in shapes(source))


@pytest.mark.parametrize(
    ("fields", "block", "expected"),
    [
        ("dim3 block{32, 4};", "block", (32, 4, 1)),
        ("dim3 block = dim3(64, 2);", "block", (64, 2, 1)),
        ("int threads = 96;", "threads", (96, 1, 1)),
        ("static constexpr int threads = 160; dim3 block{threads};", "block", (160, 1, 1)),
    ],
)
def test_fields_with_defaults_of_a_class_that_nothing_here_constructs(
    fields: str, block: str, expected: tuple[int, int, int]
) -> None:
    method = "void run(float* a, float* b, int n) { k<<<1, " + block + ">>>(a, b, n); }"
    (shape,) = shapes(KERNEL + f"class Solver {{ {fields} public: {method} }};")
    assert (shape.block, shape.block_known) == (expected, True)
    (shape,) = shapes(KERNEL + f"struct Solver {{ {fields} Solver(int); {method} }};")
    assert not shape.block_known
