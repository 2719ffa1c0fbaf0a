import ArgumentParser

/// Whose format a document is in, as typed.
enum InterchangeFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
}
