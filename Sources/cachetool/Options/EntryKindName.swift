import ArgumentParser
import TokenCaching
import UnifiedSchema

/// A kind of entry, as typed: "access-token", "AccessToken" and "accesstoken" are the same.
struct EntryKindName: ExpressibleByArgument {
    let kinds: Set<CachedEntryKind>

    init?(argument: String) {
        let wanted = Self.normalized(argument)
        kinds = Set(Self.all.filter { Self.normalized($0.name) == wanted })
        if kinds.isEmpty { return nil }
    }

    /// What can be typed, in the order of the list.
    static let allValueStrings = all.map(typed)

    /// A kind's name for people: "access token".
    static func people(_ kind: CachedEntryKind) -> String {
        typed(kind).replacing("-", with: " ")
    }

    private static let all: [CachedEntryKind] = Array(Set(EntryKind.allCases.map(CachedEntryKind.init))).sorted()

    private static func normalized(_ name: String) -> String {
        name.lowercased().replacing("-", with: "").replacing("_", with: "")
    }

    /// "AccessToken" as it is typed most easily: "access-token".
    private static func typed(_ kind: CachedEntryKind) -> String {
        var result = ""
        var wasLower = false
        for character in kind.name where character != "_" {
            if character.isUppercase && wasLower { result += "-" }
            wasLower = character.isLowercase
            result += character.lowercased()
        }
        return result
    }
}
