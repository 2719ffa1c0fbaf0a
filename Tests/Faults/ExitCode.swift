// SPDX-License-Identifier: Apache-2.0

/// How cachetool ends, as its help says.
enum ExitCode {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let notFound: Int32 = 3
    static let locked: Int32 = 4
    static let noBackend: Int32 = 5
    static let timeout: Int32 = 6
    static let corrupt: Int32 = 7
    static let permission: Int32 = 8
    static let partial: Int32 = 9
}
