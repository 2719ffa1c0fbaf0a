// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

extension [Account] {
    /// Names the properties in which the accounts differ, but no account.
    var differences: String {
        let properties: [(name: String, value: (Account) -> Set<String>)] = [
            ("username", { Set([$0.username ?? ""]) }),
            ("tenant", { Set($0.tenantProfiles.map(\.tenant)) }),
            ("environment", { Set($0.tenantProfiles.map(\.environment)) }),
            ("home account id", { Set([$0.hasHomeAccountID ? $0.id.text : ""]) }),
        ]
        let names = properties.filter { property in
            Set(map { Set(property.value($0).map { UTF8Text($0).normalized() }) }).count > 1
        }.map(\.name)
        guard let last = names.last else { return "nothing" }
        return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
    }
}
