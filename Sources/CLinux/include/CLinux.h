// SPDX-License-Identifier: Apache-2.0
/// System calls that Swift cannot make by itself: variadic functions, calls without a glibc wrapper, and declarations
/// that are missing from Swift's Glibc module. Each function only makes the call; errors are in errno. There is also one
/// processor instruction.
///
/// No system header but stdint.h is included here: types declared in two modules would belong to either by chance.
#pragma once

#include <stdint.h>

/// open relative to a folder, with rules for the resolution of the path (RESOLVE_*). glibc has no wrapper.
int linux_openat2(int folder, const char *path, int flags, unsigned mode, uint64_t resolve);

/// open relative to a folder. Variadic in C.
int linux_openat(int folder, const char *path, int flags, unsigned mode);

/// Allocates or deallocates disk space (LINUX_FALLOC_*). Needs _GNU_SOURCE.
int linux_fallocate(int file, int mode, int64_t offset, int64_t count);

/// The first byte from `offset` on outside a hole; -1 with errno, ENXIO if there is none. Needs _GNU_SOURCE.
int64_t linux_next_data(int file, int64_t offset);

/// The first byte from `offset` on in a hole; the end of the file is one; -1 with errno.
int64_t linux_next_hole(int file, int64_t offset);

/// Starts writing a range to the disk, without waiting for it. Needs _GNU_SOURCE.
int linux_start_writeback(int file, int64_t offset, int64_t count);

/// Locks a range, exclusively or shared, for the open file description, without waiting. fcntl is variadic in C.
int linux_ofd_lock(int file, int exclusive, int64_t start, int64_t length);

/// Releases a lock of the open file description.
int linux_ofd_unlock(int file, int64_t start, int64_t length);

/// Finds the first conflicting lock on a range: 1 and its range, or 0 if there is none.
int linux_ofd_find_lock(int file, int64_t *start, int64_t *length);

/// An inotify instance, close-on-exec and non-blocking.
int linux_inotify_open(void);

/// Watches a folder for files that are written, created, removed or replaced.
int linux_inotify_watch_folder(int inotify, const char *path);

/// A counter that can be polled, close-on-exec.
int linux_eventfd(void);

/// rename that fails with EEXIST instead of replacing a file. Needs _GNU_SOURCE.
int linux_rename_new(int folder, const char *name, const char *new_name);

/// fstat without a path: glibc's makes the kernel read an empty path, which takes twice as long.
///
/// `status` is a struct stat.
int linux_status(int file, void *status);

/// fstatat of `name` in `folder`, or of `folder` if the name is empty, without following links. The times are zeros.
///
/// From Linux 6.13 on, reading the times of a file makes the next write change them, so that a sync has to write the inode
/// as well. `status` is a struct stat.
int linux_status_without_times(int folder, const char *name, void *status);

/// Writes the file system of an open file to the disk. Needs _GNU_SOURCE.
int linux_sync_file_system(int file);

/// Atomically replaces a mapping by another one of the same length. mremap is variadic in C.
void *linux_move_mapping(void *address, uint64_t length, void *to);

/// The magic number of the file system of an open file, and whether it is mounted read-only.
int linux_file_system(int file, uint32_t *magic, int *is_read_only);

/// Finds the TCP socket of this network namespace with these two ends: its owner, its inode (0 if no process has it any
/// more) and its state. -1 with errno, ENOENT if there is none.
///
/// Addresses have 16 bytes if `is_ipv6`, otherwise 4, in network byte order; ports are in the host's.
int linux_find_tcp_socket(int is_ipv6, const void *address, uint16_t port, const void *peer, uint16_t peer_port,
                          uint32_t *owner, uint32_t *inode, uint8_t *state);

/// Starts a program in a session of its own, without a terminal, with the default handling of signals and no open
/// descriptors: the standard input is /dev/null, and so are the outputs, unless `output` is a descriptor for both.
///
/// Returns an error number; 0 if the program was started.
int linux_spawn(const char *path, char *const arguments[], char *const environment[], int output, int *process);

/// Prefetches the cache line at an address, which need not be valid.
static inline void processor_prefetch(const void *address) {
    __builtin_prefetch(address);
}

// Constants that need _GNU_SOURCE, which Swift does not set.
extern const int linux_O_PATH;
extern const int linux_FALLOC_FL_KEEP_SIZE;
extern const int linux_FALLOC_FL_PUNCH_HOLE;
extern const uint64_t linux_RESOLVE_NO_SYMLINKS;
extern const uint64_t linux_RESOLVE_BENEATH;
