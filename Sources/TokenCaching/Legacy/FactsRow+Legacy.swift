// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

extension RecordKind {
    /// Whether it is an item of ADAL.
    var isLegacy: Bool { rawValue == EntryKind.legacySingleResourceToken.rawValue }
}

extension FactsRow {
    /// Fills in the fields that only ADAL items have.
    ///
    /// - Parameters:
    ///   - facts: the item.
    ///   - symbols: receives the texts.
    mutating func takeLegacy(_ facts: EntryFacts, _ symbols: inout SymbolTable) {
        guard let item = LegacyTokenView(facts), item.hasRefreshToken else { return }
        if item.isMultiResource == true || item.familyID.map({ !$0.isBlank }) == true {
            flags.insert(.legacyRefreshToken)
        } else if let resource = item.resource?.normalized(), !resource.isEmpty {
            flags.insert(.legacyRefreshToken)
            scopes = symbols.symbol(resource)
        }
    }
}
