// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching

/// A command and its options, each a name and a value: `silent --authority https://… --root /tmp/…`.
struct Options {
    let command: String
    private let values: [String: String]

    init(_ arguments: [String]) {
        command = arguments.first ?? ""
        var values: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let name = rest.popFirst(), let value = rest.popFirst() { values[name] = value }
        self.values = values
    }

    /// The value of an option that has to be there.
    subscript(_ name: String) -> String {
        guard let value = values["--" + name] else { fatalError("--\(name) is missing") }
        return value
    }

    /// The value of an option that may be missing.
    func value(_ name: String) -> String? { values["--" + name] }

    var clock: WallClock {
        guard let ahead = value("ahead").flatMap(Int64.init) else { return .system }
        return WallClock { Timestamp(secondsSince1970: WallClock.system.now().secondsSince1970 + ahead) }
    }

    var scopes: [String] { (value("scopes") ?? "files.read").split(separator: " ").map(String.init) }

    func configuration() async throws -> ClientConfiguration {
        var configuration =
            if let address = value("for") {
                try await keptResource(at: address).configuration
            } else {
                ClientConfiguration(
                    clientID: self["client-id"],
                    authority: try value("entra-host").map { try .entra(tenant: "common", host: $0) }
                        ?? Authority(self["authority"])
                )
            }
        if let uri = value("redirect-uri") { configuration.redirectURI = uri }
        configuration.allowsExtendedLifetime = value("extended") == "yes"
        configuration.expirationMargin = value("margin").flatMap(Int64.init).map { .seconds($0) }
        return configuration
    }

    /// What a sign-in kept for an API.
    private func keptResource(at address: String) async throws -> ProtectedResource {
        let cache = try await TokenCache.open(
            group: "sign-in",
            clientID: "any",
            root: self["root"],
            storage: .file(unlockedBy: .keyFile)
        )
        defer { cache.close() }
        guard let resource = try await ProtectedResource.kept(at: address, in: cache) else {
            fatalError("nobody signed in for \(address)")
        }
        return resource
    }
}
