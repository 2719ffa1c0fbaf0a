// SPDX-License-Identifier: Apache-2.0
// kill-at-call N PROGRAM ARGUMENT...
//
// Runs a program and ends it with SIGKILL at the N-th of its system calls that change files or locks, before the call is
// made: between two of those nothing that outlives the process is different. All its threads and children count. With 0
// it is not ended. Says how many there were, and exits as the program did; with 137 where it was killed.

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static bool changes_something(long call) {
    switch (call) {
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev: case SYS_pwritev2:
    case SYS_openat: case SYS_openat2: case SYS_mkdirat: case SYS_linkat: case SYS_symlinkat:
    case SYS_renameat2: case SYS_unlinkat: case SYS_ftruncate: case SYS_fallocate: case SYS_copy_file_range:
    case SYS_fsync: case SYS_fdatasync: case SYS_sync_file_range: case SYS_syncfs: case SYS_msync:
    case SYS_fchmod: case SYS_fchmodat: case SYS_fcntl: case SYS_flock: case SYS_close: case SYS_munmap:
#ifdef SYS_open
    case SYS_open: case SYS_creat: case SYS_mkdir: case SYS_link: case SYS_symlink: case SYS_rename:
    case SYS_unlink: case SYS_rmdir: case SYS_chmod:
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
        return true;
    default:
        return false;
    }
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: kill-at-call N PROGRAM ARGUMENT...\n");
        return 2;
    }
    const long wanted = atol(arguments[1]);
    const pid_t program = fork();
    if (program < 0) return 1;
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(arguments[2], arguments + 2);
        _exit(127);
    }
    int status = 0;
    if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) return 1;
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, NULL, options) != 0) return 1;
    ptrace(PTRACE_SYSCALL, program, NULL, 0);

    long calls = 0;
    bool has_begun = false, was_killed = false;
    int end = 1;
    while (true) {
        const pid_t one = waitpid(-1, &status, __WALL);
        if (one < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (one == program) end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info call;
            const long size = ptrace(PTRACE_GET_SYSCALL_INFO, one, sizeof call, &call);
            if (has_begun && !was_killed && size > 0 && call.op == PTRACE_SYSCALL_INFO_ENTRY &&
                changes_something((long)call.entry.nr)) {
                calls += 1;
                if (calls == wanted) {
                    was_killed = true;
                    kill(program, SIGKILL);
                }
            }
            signal = 0;
        } else if (status >> 16 != 0) {
            // What the loader does before is the same each time and touches nothing of ours.
            if (status >> 16 == PTRACE_EVENT_EXEC) has_begun = true;
            signal = 0;
        } else if (signal == SIGSTOP || signal == SIGTRAP) {
            signal = 0;
        }
        ptrace(PTRACE_SYSCALL, one, NULL, (long)signal);
    }
    fprintf(stderr, "kill-at-call: %ld calls\n", calls);
    return was_killed ? 137 : end;
}
