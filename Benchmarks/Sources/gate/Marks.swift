// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Called where what is measured begins: Callgrind sees the function, strace the system call.
@c(gate_begins) @inline(never)
public func gateBegins() {
    access("/gate/begins", F_OK)
}

/// Called where what is measured ends.
@c(gate_ends) @inline(never)
public func gateEnds() {
    access("/gate/ends", F_OK)
}
