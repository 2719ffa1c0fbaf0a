import ArgumentParser

/// In whose format a file is written, as typed.
enum ExportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
}
