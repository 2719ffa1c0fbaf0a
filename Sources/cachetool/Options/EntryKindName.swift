import ArgumentParser

/// A kind of entry, as typed and as printed.
enum EntryKindName: String, ExpressibleByArgument, CaseIterable {
    case accessToken = "access-token"
    case refreshToken = "refresh-token"
    case idToken = "id-token"
    case account
    case appMetadata = "app-metadata"
    case other
}
