/* What libc would import from WASI, defined here under the names of those imports: so the module has none.
 * Nothing of it is reached but when libc gives up. */
#include <stdint.h>

#define NOSYS 52
#define WASI(name) __imported_wasi_snapshot_preview1_##name

int32_t WASI(fd_write)(int32_t fd, int32_t vectors, int32_t count, int32_t written) {
    uint32_t *v = (uint32_t *)(uintptr_t)vectors, total = 0;
    for (int32_t i = 0; i < count; i++) total += v[2 * i + 1];
    *(uint32_t *)(uintptr_t)written = total;
    return 0;
}
int close(int fd) { return -1; } /* zig has its own, with an import of its own */
int32_t WASI(fd_seek)(int32_t fd, int64_t offset, int32_t whence, int32_t result) { return NOSYS; }
int32_t WASI(fd_read)(int32_t fd, int32_t vectors, int32_t count, int32_t result) { return NOSYS; }
int32_t WASI(fd_fdstat_get)(int32_t fd, int32_t result) { return NOSYS; }
int32_t WASI(fd_prestat_get)(int32_t fd, int32_t result) { return 8; }
int32_t WASI(fd_prestat_dir_name)(int32_t fd, int32_t path, int32_t size) { return NOSYS; }
int32_t WASI(environ_get)(int32_t pointers, int32_t buffer) { return 0; }
int32_t WASI(environ_sizes_get)(int32_t count, int32_t size) {
    *(uint32_t *)(uintptr_t)count = 0; *(uint32_t *)(uintptr_t)size = 0; return 0;
}
int32_t WASI(args_get)(int32_t pointers, int32_t buffer) { return 0; }
int32_t WASI(args_sizes_get)(int32_t count, int32_t size) {
    *(uint32_t *)(uintptr_t)count = 0; *(uint32_t *)(uintptr_t)size = 0; return 0;
}
int32_t WASI(clock_time_get)(int32_t id, int64_t precision, int32_t result) {
    *(uint64_t *)(uintptr_t)result = 0; return 0;
}
int32_t WASI(random_get)(int32_t buffer, int32_t size) {
    for (int32_t i = 0; i < size; i++) ((uint8_t *)(uintptr_t)buffer)[i] = 0;
    return 0;
}
_Noreturn void WASI(proc_exit)(int32_t code) { __builtin_trap(); }
