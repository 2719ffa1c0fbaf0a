// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>

/// Prevents core dumps of the process, and tracing by other processes of the user. Returns 0 on success.
static inline int process_control_set_undumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Returns 1 if the process may be dumped and traced.
static inline int process_control_is_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}
