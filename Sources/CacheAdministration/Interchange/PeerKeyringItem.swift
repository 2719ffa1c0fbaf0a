internal import Sealing
internal import TokenCaching

/// An item of the person's keyring that another library keeps a cache in.
///
/// The item is found by its attributes, as that library finds it, and only read: it stays as it is, and so does what the
/// library thinks of it. Looking for it loads libsecret and talks to the keyring of the session.
///
/// ```swift
/// let report = try group.importEntries(from: .keyring(.azureIdentityForPython()))
/// ```
public struct PeerKeyringItem: Hashable, Sendable {
    /// The name of the schema, the attribute `xdg:schema`; nil where the library does not look at it.
    public var schema: String?
    /// The other attributes. The item may have more.
    public var attributes: [String: String]
    /// Whether the keyring may ask the person to unlock it. Then the call takes up to two minutes, else the group's timeout.
    public var allowsPrompt: Bool

    /// An item by its attributes.
    public init(schema: String? = nil, attributes: [String: String] = [:], allowsPrompt: Bool = false) {
        self.schema = schema
        self.attributes = attributes
        self.allowsPrompt = allowsPrompt
    }
}

extension PeerKeyringItem {
    private static let identityService = "Microsoft.Developer.IdentityService"

    /// What `LibsecretPersistence` of msal-extensions for Python keeps when it was given a path only.
    ///
    /// - Parameter path: the path of the signal file, letter by letter as that program gives it.
    /// - Returns: how the item is found.
    public static func msalExtensions(path: String) -> Self {
        Self(schema: SHA256Digest.hexadecimal(of: path))
    }

    /// What azure-identity for Python keeps.
    ///
    /// - Parameters:
    ///   - name: the name of the cache.
    ///   - isCAE: whether its tokens serve continuous access evaluation; the others are kept apart from them.
    /// - Returns: how the item is found.
    public static func azureIdentityForPython(name: String = "msal.cache", isCAE: Bool = false) -> Self {
        Self(schema: name + (isCAE ? ".cae" : ".nocae"), attributes: ["MsalClientID": identityService])
    }

    /// What Azure.Identity for .NET, Azure PowerShell and Git Credential Manager share. The name of a cache is in its
    /// label only, by which nobody looks.
    public static var azureIdentityForDotNet: Self {
        Self(attributes: ["MsalClientID": identityService, identityService: "1.0.0.0"])
    }

    /// What azure-identity for Java keeps.
    public static var azureIdentityForJava: Self {
        Self(schema: "msal.cache", attributes: ["MsalClientID": identityService])
    }

    /// What `@azure/identity-cache-persistence` for JavaScript keeps.
    public static var azureIdentityForJavaScript: Self {
        keytar(service: identityService, account: "MSALCache")
    }

    /// What the Azure CLI keeps where it uses the keyring, as it is released (2.91): under the names of an example.
    public static var azureCLI: Self {
        Self(schema: "my_schema_name", attributes: ["my_attr1": "foo", "my_attr2": "bar"])
    }

    /// What the Azure CLI is to keep instead, under a name of its own.
    public static var newerAzureCLI: Self {
        Self(schema: "Microsoft Azure CLI", attributes: ["type": "Token cache"])
    }

    /// The tokens of applications that Git Credential Manager keeps; those of people are
    /// ``azureIdentityForDotNet``.
    public static var gitCredentialManager: Self {
        Self(attributes: ["MsalClientID": "GitCredentialManager.MSAL", "GitCredentialManager.MSAL": "1.0.0.0"])
    }

    /// What msal-node-extensions and other programs keep through keytar.
    public static func keytar(service: String, account: String) -> Self {
        Self(schema: "org.freedesktop.Secret.Generic", attributes: ["service": service, "account": account])
    }
}
