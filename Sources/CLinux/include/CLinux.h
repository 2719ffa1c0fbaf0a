// SPDX-License-Identifier: Apache-2.0
/// What Linux offers and Swift cannot call by itself: variadic functions, calls that glibc has no wrapper for, and
/// declarations that Swift's Glibc module leaves out. Each function is the bare call; errno says what went wrong.
/// Beside these there is one instruction of the processor.
///
/// No system header but stdint.h is included here: types declared in two modules would belong to either by chance.
#pragma once

#include <stdint.h>

/// open relative to a folder, with rules for the resolution of the path (RESOLVE_*). glibc has no wrapper.
int linux_openat2(int folder, const char *path, int flags, unsigned mode, uint64_t resolve);

/// open relative to a folder. Variadic in C.
int linux_openat(int folder, const char *path, int flags, unsigned mode);

/// Reserves room on the disk or gives it back (LINUX_FALLOC_*). Declared under _GNU_SOURCE only.
int linux_fallocate(int file, int mode, int64_t offset, int64_t count);

/// The first byte from `offset` on that is in no hole; -1 with errno, ENXIO where there is none. Needs _GNU_SOURCE.
int64_t linux_next_data(int file, int64_t offset);

/// The first byte from `offset` on that is in a hole, the end of the file being one; -1 with errno.
int64_t linux_next_hole(int file, int64_t offset);

/// Lets the kernel begin to write a range to the disk, without waiting for it. glibc shows it under _GNU_SOURCE only.
int linux_start_writeback(int file, int64_t offset, int64_t count);

/// Takes a lock of the open file description on a range, alone or shared, without waiting. fcntl is variadic in C.
int linux_ofd_lock(int file, int exclusive, int64_t start, int64_t length);

/// Gives a lock of the open file description back.
int linux_ofd_unlock(int file, int64_t start, int64_t length);

/// Finds the first lock of others on a range: 1 and where it lies, or 0 where there is none.
int linux_ofd_find_lock(int file, int64_t *start, int64_t *length);

/// Something to learn of changes of files with; not inherited by programs that are started, and read without waiting.
int linux_inotify_open(void);

/// Watches the files of a folder for being written, created, removed and replaced.
int linux_inotify_watch_folder(int inotify, const char *path);

/// A counter that can be waited for; not inherited by programs that are started.
int linux_eventfd(void);

/// rename that refuses (EEXIST) where something bears the new name. Declared under _GNU_SOURCE only.
int linux_rename_new(int folder, const char *name, const char *new_name);

/// fstat without a path: what glibc calls instead has the kernel read an empty one, and takes twice as long.
///
/// `status` is a struct stat.
int linux_status(int file, void *status);

/// fstatat of what bears `name` in `folder` itself, or of `folder` where the name is empty, without its times, which are zeros.
///
/// From Linux 6.13 on asking for the times of a file gives it another one at the next write, however soon that comes, and its
/// inode has to be written too when it is synced. `status` is a struct stat.
int linux_status_without_times(int folder, const char *name, void *status);

/// Writes the file system of an open file to the disk. glibc shows it under _GNU_SOURCE only.
int linux_sync_file_system(int file);

/// Moves a mapping over another one of the same length, which goes in the same step. mremap is variadic in C.
void *linux_move_mapping(void *address, uint64_t length, void *to);

/// The number of the kind of file system that an open file lies on, and whether it is mounted read-only.
int linux_file_system(int file, uint32_t *magic, int *is_read_only);

/// Asks the memory for the cache line at an address, which may be any, without waiting for it.
static inline void processor_prefetch(const void *address) {
    __builtin_prefetch(address);
}

// Constants that the headers show under _GNU_SOURCE only, which Swift does not set.
extern const int linux_O_PATH;
extern const int linux_FALLOC_FL_KEEP_SIZE;
extern const int linux_FALLOC_FL_PUNCH_HOLE;
extern const uint64_t linux_RESOLVE_NO_SYMLINKS;
extern const uint64_t linux_RESOLVE_BENEATH;
