// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A number of bytes, as typed: "4096", "64M", "2G" (powers of 1,024).
struct ByteSize: ExpressibleByArgument {
    static let standardImport = ByteSize(bytes: 2 << 30, text: "2G")

    let bytes: UInt64
    private let text: String

    private init(bytes: UInt64, text: String) {
        self.bytes = bytes
        self.text = text
    }

    init?(argument: String) {
        let shift: UInt64
        switch argument.last {
        case "K", "k": shift = 10
        case "M", "m": shift = 20
        case "G", "g": shift = 30
        default: shift = 0
        }
        guard let number = UInt64(shift == 0 ? argument[...] : argument.dropLast()), number > 0,
            number <= UInt64.max >> shift
        else { return nil }
        self.init(bytes: number << shift, text: argument)
    }

    var defaultValueDescription: String { text }
}
