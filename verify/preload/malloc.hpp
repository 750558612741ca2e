// The C library's functions for memory, for the program: larger blocks are tracked (hostmem.hpp). Within extern "C".

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static bool is_tracked(size_t size) {
    return tracking.load(std::memory_order_relaxed) && quiet_depth == 0 && size >= SMALLEST && size <= PTRDIFF_MAX - PAGE;
}

static void *tracked_block(size_t alignment, size_t size) {
    void *made = __libc_memalign(alignment < PAGE ? PAGE : alignment, (size + PAGE - 1) / PAGE * PAGE);
    if (made) host_memory().add(made, size);
    return made;
}

void *malloc(size_t size) { return is_tracked(size) ? tracked_block(PAGE, size) : __libc_malloc(size); }

void *calloc(size_t count, size_t each) {
    size_t size = 0;
    if (__builtin_mul_overflow(count, each, &size) || !is_tracked(size)) return __libc_calloc(count, each);
    void *made = tracked_block(PAGE, size);
    return made ? memset(made, 0, size) : nullptr;
}

void *memalign(size_t alignment, size_t size) {
    return is_tracked(size) ? tracked_block(alignment, size) : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **at, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1))) return EINVAL;
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *at = made;
    return 0;
}

void free(void *at) {
    bool own = at && reinterpret_cast<uintptr_t>(at) % PAGE == 0 && tracking.load(std::memory_order_relaxed);
    if (own && quiet_depth == 0) host_memory().remove(at);
    __libc_free(at);
}

void *realloc(void *at, size_t size) {
    bool tracked = at && tracking.load(std::memory_order_relaxed) && quiet_depth == 0 && host_memory().size_of(at);
    if (!tracked && (!is_tracked(size) || !at)) return at ? __libc_realloc(at, size) : malloc(size);
    if (size == 0) {
        free(at);
        return nullptr;
    }
    void *made = malloc(size);
    if (!made) return nullptr;
    size_t had = malloc_usable_size(at);
    memcpy(made, at, had < size ? had : size);
    free(at);
    return made;
}
