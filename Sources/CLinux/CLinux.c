// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

const int linux_O_PATH = O_PATH;
const int linux_FALLOC_FL_KEEP_SIZE = FALLOC_FL_KEEP_SIZE;
const uint64_t linux_RESOLVE_NO_SYMLINKS = RESOLVE_NO_SYMLINKS;
const uint64_t linux_RESOLVE_BENEATH = RESOLVE_BENEATH;

void linux_fill_standard_descriptors(void) {
    const int error = errno;
    for (int number = 0; number <= 2; number++) {
        if (fcntl(number, F_GETFD) != -1) continue;
        int file = open("/dev/null", O_RDWR | O_CLOEXEC);
        // Without /dev, a descriptor that can be neither read nor written.
        if (file == -1) file = open("/", O_PATH | O_CLOEXEC);
        // Another thread took the number.
        if (file > 2) close(file);
    }
    errno = error;
}

// Moves a new descriptor away from the numbers to which any code of the process may print. The descriptor is
// close-on-exec.
static int above_standard(int file) {
    if (file < 0 || file > 2) return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
    const int error = errno;
    close(file);
    // So that later ones do not get such a number at all: a print may come before they are moved.
    linux_fill_standard_descriptors();
    errno = error;
    return moved;
}

int linux_duplicate(int file) {
    return fcntl(file, F_DUPFD_CLOEXEC, 3);
}

int linux_openat2(int folder, const char *path, int flags, unsigned mode, uint64_t resolve) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (unsigned)flags;
    how.mode = mode;
    how.resolve = resolve;
    return above_standard((int)syscall(SYS_openat2, folder, path, &how, sizeof how));
}

int linux_openat(int folder, const char *path, int flags, unsigned mode) {
    return above_standard(openat(folder, path, flags, mode));
}

int linux_fallocate(int file, int mode, int64_t offset, int64_t count) {
    return fallocate(file, mode, offset, count);
}

int64_t linux_next_data(int file, int64_t offset) {
    return lseek(file, offset, SEEK_DATA);
}

int64_t linux_next_hole(int file, int64_t offset) {
    return lseek(file, offset, SEEK_HOLE);
}

int linux_start_writeback(int file, int64_t offset, int64_t count) {
    return sync_file_range(file, offset, count, SYNC_FILE_RANGE_WRITE);
}

static int set_lock(int file, short type, int64_t start, int64_t length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return fcntl(file, F_OFD_SETLK, &lock);
}

int linux_ofd_lock(int file, int exclusive, int64_t start, int64_t length) {
    return set_lock(file, exclusive ? F_WRLCK : F_RDLCK, start, length);
}

int linux_ofd_unlock(int file, int64_t start, int64_t length) {
    return set_lock(file, F_UNLCK, start, length);
}

int linux_ofd_find_lock(int file, int64_t *start, int64_t *length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = *start;
    lock.l_len = *length;
    if (fcntl(file, F_OFD_GETLK, &lock) != 0) return -1;
    if (lock.l_type == F_UNLCK) return 0;
    *start = lock.l_start;
    *length = lock.l_len;
    return 1;
}

int linux_inotify_open(void) {
    return above_standard(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
}

int linux_inotify_watch_folder(int inotify, const char *path) {
    uint32_t mask = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    return inotify_add_watch(inotify, path, mask);
}

int linux_eventfd(void) {
    return above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int linux_rename_new(int folder, const char *name, const char *new_name) {
    return renameat2(folder, name, folder, new_name, RENAME_NOREPLACE);
}

int linux_status(int file, void *status) {
#if defined __x86_64__ && defined __LP64__ || defined __aarch64__ && defined __LP64__
    // On these platforms glibc's struct stat is the kernel's.
    return (int)syscall(SYS_fstat, file, status);
#else
    return fstat(file, status);
#endif
}

int linux_status_without_times(int folder, const char *name, void *status) {
    const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    const unsigned mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_INO | STATX_SIZE | STATX_BLOCKS;
    struct statx found;
    struct stat *result = status;
    memset(result, 0, sizeof *result);
    if (statx(folder, name, flags, mask, &found) != 0) {
        // Seccomp filters of old containers do not know statx, and reject it with one of these errors.
        if (errno != ENOSYS && errno != EPERM && errno != EACCES) return -1;
        if (fstatat(folder, name, result, flags) != 0) return -1;
        memset(&result->st_atim, 0, sizeof result->st_atim);
        memset(&result->st_mtim, 0, sizeof result->st_mtim);
        memset(&result->st_ctim, 0, sizeof result->st_ctim);
        return 0;
    }
    result->st_dev = makedev(found.stx_dev_major, found.stx_dev_minor);
    result->st_ino = found.stx_ino;
    result->st_mode = found.stx_mode;
    result->st_nlink = found.stx_nlink;
    result->st_uid = found.stx_uid;
    result->st_size = (off_t)found.stx_size;
    result->st_blocks = (blkcnt_t)found.stx_blocks;
    return 0;
}

int linux_folder_identity(int folder, uint64_t *inode, uint64_t *birth) {
    struct statx found;
    if (statx(folder, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) == 0 && found.stx_mask & STATX_BTIME) {
        *inode = found.stx_ino;
        *birth = (uint64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
        return 0;
    }
    struct stat status;
    struct statfs file_system;
    if (fstat(folder, &status) != 0 || fstatfs(folder, &file_system) != 0) return -1;
    *inode = status.st_ino;
    memcpy(birth, &file_system.f_fsid, sizeof *birth);
    return 0;
}

int linux_sync_file_system(int file) {
    return syncfs(file);
}

void *linux_move_mapping(void *address, uint64_t length, void *to) {
    return mremap(address, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

int linux_file_system(int file, uint32_t *magic, int *is_read_only) {
    struct statfs buffer;
    if (fstatfs(file, &buffer) != 0) return -1;
    *magic = (uint32_t)buffer.f_type;
    *is_read_only = (buffer.f_flags & ST_RDONLY) != 0;
    return 0;
}

int linux_spawn(const char *path, char *const arguments[], char *const environment[], int output, int *process) {
    if (output != -1 && fcntl(output, F_GETFD) == -1) output = -1;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
        for (int file = 1; file <= 2 && error == 0; file++) {
            error = output == -1 ? posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0)
                                 : posix_spawn_file_actions_adddup2(&actions, output, file);
        }
        if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        if (error == 0) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}
