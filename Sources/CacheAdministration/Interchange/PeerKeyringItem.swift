// SPDX-License-Identifier: Apache-2.0

internal import Sealing
internal import TokenCaching

/// An item of the user's keyring in which another library stores a cache.
///
/// The item is found by its attributes, as that library finds it, and is only read. Looking for it loads libsecret and
/// contacts the session's keyring.
///
/// ```swift
/// let report = try group.importEntries(from: .keyring(.azureIdentityForPython()))
/// ```
public struct PeerKeyringItem: Hashable, Sendable {
    /// The name of the schema, in the attribute `xdg:schema`; nil if the library ignores it.
    public var schema: String?
    /// The other attributes. The item may have more.
    public var attributes: [String: String]
    /// Whether the keyring may prompt the user to unlock it. If so, the call takes up to two minutes, otherwise at most
    /// the group's timeout.
    public var allowsPrompt: Bool

    /// Describes an item by its attributes.
    public init(schema: String? = nil, attributes: [String: String] = [:], allowsPrompt: Bool = false) {
        self.schema = schema
        self.attributes = attributes
        self.allowsPrompt = allowsPrompt
    }
}

extension PeerKeyringItem {
    private static let identityService = "Microsoft.Developer.IdentityService"

    /// The item of `LibsecretPersistence` in msal-extensions for Python, if that was given only a path.
    ///
    /// - Parameter path: the path of the signal file, exactly as that program passes it.
    /// - Returns: the description of the item.
    public static func msalExtensions(path: String) -> Self {
        Self(schema: SHA256Digest.hexadecimal(of: path))
    }

    /// The item of azure-identity for Python.
    ///
    /// - Parameters:
    ///   - name: the name of the cache.
    ///   - isCAE: whether its tokens support continuous access evaluation; the others are stored separately.
    /// - Returns: the description of the item.
    public static func azureIdentityForPython(name: String = "msal.cache", isCAE: Bool = false) -> Self {
        Self(schema: name + (isCAE ? ".cae" : ".nocae"), attributes: ["MsalClientID": identityService])
    }

    /// The item shared by Azure.Identity for .NET, Azure PowerShell and Git Credential Manager. The name of a cache is
    /// only in its label, which is not used to find it.
    public static var azureIdentityForDotNet: Self {
        Self(attributes: ["MsalClientID": identityService, identityService: "1.0.0.0"])
    }

    /// The item of azure-identity for Java.
    public static var azureIdentityForJava: Self {
        Self(schema: "msal.cache", attributes: ["MsalClientID": identityService])
    }

    /// The item of `@azure/identity-cache-persistence` for JavaScript.
    public static var azureIdentityForJavaScript: Self {
        keytar(service: identityService, account: "MSALCache")
    }

    /// The item of the released Azure CLI (2.91) if it uses the keyring; its attributes are those of a code example.
    public static var azureCLI: Self {
        Self(schema: "my_schema_name", attributes: ["my_attr1": "foo", "my_attr2": "bar"])
    }

    /// The item that the Azure CLI will use instead in a later version, with names of its own.
    public static var newerAzureCLI: Self {
        Self(schema: "Microsoft Azure CLI", attributes: ["type": "Token cache"])
    }

    /// The application tokens of Git Credential Manager; its user tokens are in ``azureIdentityForDotNet``.
    public static var gitCredentialManager: Self {
        Self(attributes: ["MsalClientID": "GitCredentialManager.MSAL", "GitCredentialManager.MSAL": "1.0.0.0"])
    }

    /// An item that msal-node-extensions and other programs store with keytar.
    public static func keytar(service: String, account: String) -> Self {
        Self(schema: "org.freedesktop.Secret.Generic", attributes: ["service": service, "account": account])
    }
}
