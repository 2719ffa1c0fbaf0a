// SPDX-License-Identifier: Apache-2.0
/// System calls that Swift cannot make by itself: variadic functions, calls without a glibc wrapper, and declarations
/// that are missing from Swift's Glibc module; and one processor instruction. Each function only makes the call and
/// reports errors in errno.
///
/// New descriptors are close-on-exec and have numbers above 2: programs print to 0 to 2 even if these are closed.
///
/// This header includes no system header but stdint.h, because Swift would import a type declared in two modules from
/// either of them by chance.
#pragma once

#include <stdint.h>

/// Opens /dev/null, close-on-exec, for each of the descriptors 0 to 2 that is closed. Call it before a library that opens
/// descriptors by itself.
void linux_fill_standard_descriptors(void);

/// A close-on-exec duplicate of a descriptor. fcntl is variadic.
int linux_duplicate(int file);

/// open relative to a folder, with rules for the resolution of the path (RESOLVE_*). glibc has no wrapper.
int linux_openat2(int folder, const char *path, int flags, unsigned mode, uint64_t resolve);

/// open relative to a folder. The C function is variadic.
int linux_openat(int folder, const char *path, int flags, unsigned mode);

/// Allocates or deallocates disk space (LINUX_FALLOC_*). Needs _GNU_SOURCE.
int linux_fallocate(int file, int mode, int64_t offset, int64_t count);

/// The offset of the first data at or after `offset`; -1 with errno, ENXIO if only holes follow. Needs _GNU_SOURCE.
int64_t linux_next_data(int file, int64_t offset);

/// The offset of the first hole at or after `offset`, at the latest the end of the file; -1 with errno.
int64_t linux_next_hole(int file, int64_t offset);

/// Starts writing a range to the disk, without waiting. Needs _GNU_SOURCE.
int linux_start_writeback(int file, int64_t offset, int64_t count);

/// Takes an exclusive or shared open file description lock on a range, without waiting. fcntl is variadic.
int linux_ofd_lock(int file, int exclusive, int64_t start, int64_t length);

/// Releases an open file description lock.
int linux_ofd_unlock(int file, int64_t start, int64_t length);

/// Finds a conflicting lock on a range. Returns 1 and the locked range, or 0 if no lock conflicts.
int linux_ofd_find_lock(int file, int64_t *start, int64_t *length);

/// An inotify instance, close-on-exec and non-blocking.
int linux_inotify_open(void);

/// Watches a folder for files being written, created, removed or replaced.
int linux_inotify_watch_folder(int inotify, const char *path);

/// A counter that can be polled, close-on-exec.
int linux_eventfd(void);

/// rename that fails with EEXIST instead of replacing a file. Needs _GNU_SOURCE.
int linux_rename_new(int folder, const char *name, const char *new_name);

/// fstat without a path: glibc's makes the kernel read an empty path, which takes twice as long.
///
/// `status` is a struct stat.
int linux_status(int file, void *status);

/// What tells a folder from its copies: its number in the file system, and when it was made, in nanoseconds, or if that is
/// unknown the number of the file system.
int linux_folder_identity(int folder, uint64_t *inode, uint64_t *birth);

/// fstatat of `name` in `folder`, or of `folder` if the name is empty, without following links. The times are zeros.
///
/// From Linux 6.13 on, reading the times of a file makes the next write change them, so that the next sync must write
/// the inode too. `status` is a struct stat.
int linux_status_without_times(int folder, const char *name, void *status);

/// Writes the file system of an open file to the disk. Needs _GNU_SOURCE.
int linux_sync_file_system(int file);

/// Atomically replaces a mapping with another one of the same length. mremap is variadic.
void *linux_move_mapping(void *address, uint64_t length, void *to);

/// The magic number of the file system of an open file, and whether it is mounted read-only.
int linux_file_system(int file, uint32_t *magic, int *is_read_only);

/// Starts a program in a new session, without a terminal, with the default handling of signals and no inherited
/// descriptors. Standard input is /dev/null; both outputs are `output`, or /dev/null if that is no open descriptor.
///
/// Returns 0, or an error number if the program was not started.
int linux_spawn(const char *path, char *const arguments[], char *const environment[], int output, int *process);

/// Prefetches the cache line at an address, which need not be valid.
static inline void processor_prefetch(const void *address) {
    __builtin_prefetch(address);
}

// Constants that need _GNU_SOURCE, which Swift does not set.
extern const int linux_O_PATH;
extern const int linux_FALLOC_FL_KEEP_SIZE;
extern const uint64_t linux_RESOLVE_NO_SYMLINKS;
extern const uint64_t linux_RESOLVE_BENEATH;
