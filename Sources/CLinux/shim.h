/// What Linux offers and Swift cannot call by itself: variadic functions, calls that glibc has no wrapper for, and
/// headers that Swift's Glibc module leaves out. Each function is the bare call; errno says what went wrong.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/openat2.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// Kernel constants that the headers show only under _GNU_SOURCE, which Swift does not set.
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#ifndef O_PATH
#define O_PATH 010000000
#endif

/// open relative to a folder, with rules for the resolution of the path (RESOLVE_*). glibc has no wrapper.
static inline int linux_openat2(int folder, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = flags;
    how.mode = mode;
    how.resolve = resolve;
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// open relative to a folder. Variadic in C.
static inline int linux_openat(int folder, const char *path, int flags, unsigned mode) {
    return openat(folder, path, flags, mode);
}

/// Reserves room on the disk or gives it back (FALLOC_FL_*). glibc declares it only under _GNU_SOURCE.
static inline int linux_fallocate(int file, int mode, int64_t offset, int64_t count) {
    return (int)syscall(SYS_fallocate, file, mode, offset, count);
}

/// Takes (F_RDLCK, F_WRLCK) or releases (F_UNLCK) a lock of the open file description, without waiting.
/// fcntl is variadic in C.
static inline int linux_ofd_lock(int file, short type, int64_t start, int64_t length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return fcntl(file, F_OFD_SETLK, &lock);
}

/// rename that refuses (EEXIST) where something bears the new name.
static inline int linux_rename_new(int folder, const char *name, const char *new_name) {
    return (int)syscall(SYS_renameat2, folder, name, folder, new_name, RENAME_NOREPLACE);
}
