/* Fails, or kills the process at, the n-th call that touches files below a folder. Loaded by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char root[PATH_MAX];
static long calls, at;
static int fault;

/* Count calls below `folder`; the call number `number` fails with `code`, or kills the process if that is 0. */
void fault_arm(const char *folder, long number, int code) {
    snprintf(root, sizeof root, "%s", folder);
    calls = 0, at = number, fault = code;
}

long fault_calls(void) { return calls; }

static int hit(int inside) {
    if (!root[0] || !inside || ++calls != at) return 0;
    if (!fault) kill(getpid(), SIGKILL);
    errno = fault;
    return 1;
}

static int below(const char *path) {
    size_t length = strlen(root);
    return path && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

static int below_fd(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = root[0] ? readlink(link, path, sizeof path - 1) : -1;
    if (size < 0) return 0;
    path[size] = 0;
    return below(path);
}

static int below_at(int fd, const char *path) {
    return path && path[0] == '/' ? below(path) : fd == AT_FDCWD ? 0 : below_fd(fd);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, parameters, inside, arguments) \
    type name parameters { return hit(inside) ? (type)-1 : REAL(name) arguments; }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = va_arg(list, mode_t); \
        va_end(list); \
        return hit(below(path)) ? -1 : REAL(name)(path, flags, mode); \
    }
#define OPENAT(name) \
    int name(int fd, const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = va_arg(list, mode_t); \
        va_end(list); \
        return hit(below_at(fd, path)) ? -1 : REAL(name)(fd, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
WRAP(ssize_t, read, (int fd, void *data, size_t size), below_fd(fd), (fd, data, size))
WRAP(ssize_t, write, (int fd, const void *data, size_t size), below_fd(fd), (fd, data, size))
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t where), below_fd(fd), (fd, data, size, where))
WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t where), below_fd(fd), (fd, data, size, where))
WRAP(int, fsync, (int fd), below_fd(fd), (fd))
WRAP(int, fdatasync, (int fd), below_fd(fd), (fd))
WRAP(int, ftruncate, (int fd, off_t size), below_fd(fd), (fd, size))
WRAP(int, ftruncate64, (int fd, off64_t size), below_fd(fd), (fd, size))
WRAP(int, fchmod, (int fd, mode_t mode), below_fd(fd), (fd, mode))
WRAP(int, rename, (const char *from, const char *to), below(from), (from, to))
WRAP(int, renameat, (int a, const char *from, int b, const char *to), below_at(a, from), (a, from, b, to))
WRAP(int, link, (const char *from, const char *to), below(from), (from, to))
WRAP(int, linkat, (int a, const char *from, int b, const char *to, int flags), below_at(a, from), (a, from, b, to, flags))
WRAP(int, unlink, (const char *path), below(path), (path))
WRAP(int, unlinkat, (int fd, const char *path, int flags), below_at(fd, path), (fd, path, flags))
WRAP(int, mkdir, (const char *path, mode_t mode), below(path), (path, mode))
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), below_at(fd, path), (fd, path, mode))
WRAP(int, rmdir, (const char *path), below(path), (path))
WRAP(int, utimensat, (int fd, const char *path, const struct timespec times[2], int flags), below_at(fd, path), (fd, path, times, flags))
