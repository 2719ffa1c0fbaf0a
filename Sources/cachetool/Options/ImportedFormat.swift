// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching

/// The kind of cache to read, as typed.
enum ImportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
    case adal
    case azureCLI = "azure-cli"
    case msalExtensions = "msal-extensions"
    case azureIdentity = "azure-identity"
    case gitCredentialManager = "git-credential-manager"
    case keytar
    case keyring
}
