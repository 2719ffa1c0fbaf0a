// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "tokencache.h"

#include <string.h>

void tokencache_wipe(void *memory, size_t count) {
    if (memory) explicit_bzero(memory, count);
}
