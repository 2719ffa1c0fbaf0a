// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Whether a sanitizer watches this process: it maps terabytes of its own and makes `mlock` do nothing.
let isSanitized = unsafe dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
