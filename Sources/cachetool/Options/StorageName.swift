// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Where a group keeps its records, as typed.
enum StorageName: String, ExpressibleByArgument, CaseIterable {
    case automatic, keyring, file, memory
}
