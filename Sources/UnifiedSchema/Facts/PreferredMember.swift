// SPDX-License-Identifier: Apache-2.0

/// The value of one of several members that mean the same: of those with a value, the one with the lowest number.
struct PreferredMember: Sendable {
    private(set) var name: MemberName?
    private(set) var value: UTF8Text?

    mutating func offer(_ name: MemberName, _ value: UTF8Text?) {
        guard let value, self.name.map({ name.rawValue < $0.rawValue }) ?? true else { return }
        self.name = name
        self.value = value
    }
}
