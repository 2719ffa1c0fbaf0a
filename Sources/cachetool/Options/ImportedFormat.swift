import ArgumentParser

import TokenCaching

/// Whose cache a file is that is read, as typed.
enum ImportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
    case adal
    case azureCLI = "azure-cli"

    /// The Azure CLI kept its tokens as ADAL does.
    var format: ImportFormat {
        switch self {
        case .msal: .msal
        case .adal, .azureCLI: .adal
        }
    }
}
