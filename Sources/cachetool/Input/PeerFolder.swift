// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// The folders in which other programs keep their caches, as those programs find them.
///
/// | folder | variable that moves it | without the variable |
/// | --- | --- | --- |
/// | the Azure CLI's | `AZURE_CONFIG_DIR` | `~/.azure` |
/// | that of azure-identity for Python, Java and JavaScript | none | `~/.IdentityService` |
/// | that of Azure.Identity for .NET and Azure PowerShell | `XDG_DATA_HOME`, if it is an absolute path | `~/.local/share/.IdentityService` |
/// | Git Credential Manager's | none | `~/.local/.IdentityService` |
///
/// `HOME` moves all of them. `AZURE_ACCESS_TOKEN_FILE` names the file that the Azure CLI before 2.30 wrote.
enum PeerFolder {
    case azureCLI
    case azureIdentity
    case azureIdentityForDotNet
    case gitCredentialManager

    /// Without a slash at the end.
    var path: String {
        let home = Syscalls.environment("HOME") ?? ""
        switch self {
        case .azureCLI:
            return Syscalls.environment("AZURE_CONFIG_DIR").map(Self.withoutSlash) ?? home + "/.azure"
        case .azureIdentity: return home + "/.IdentityService"
        case .azureIdentityForDotNet:
            let data = Syscalls.environment("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            return (data.map(Self.withoutSlash) ?? home + "/.local/share") + "/.IdentityService"
        case .gitCredentialManager: return home + "/.local/.IdentityService"
        }
    }

    private static func withoutSlash(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
