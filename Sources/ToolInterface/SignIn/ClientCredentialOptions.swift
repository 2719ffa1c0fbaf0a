// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// What an application that is no public client authenticates with: at most one of these options. A secret is never an
/// argument, which other users could read.
public struct ClientCredentialOptions: ParsableArguments {
    /// The path of a client secret.
    @Option(
        help: ArgumentHelp(
            "The file with the app's client secret, if it has one: yours alone, mode 0600. It is read for each request.",
            valueName: "path"
        ),
        completion: .file(),
        transform: CallersPath.input
    )
    public var clientSecretFile: String?

    /// The descriptor of a client secret.
    @Option(
        help: ArgumentHelp(
            "The client secret, on the first line of descriptor <n>, such as 3 in 3<file.",
            valueName: "n"
        ),
        transform: { text throws(CommandFailure) in try CallersDescriptor(typed: text, for: "--client-secret-fd") }
    )
    public var clientSecretFd: CallersDescriptor?

    /// The path of an assertion.
    @Option(
        help: ArgumentHelp(
            "A file with an assertion that was signed for the app (RFC 7523), such as the token that Kubernetes mounts for "
                + "a workload. It is read for each request.",
            valueName: "path"
        ),
        completion: .file(),
        transform: CallersPath.input
    )
    public var clientAssertionFile: String?

    /// Called by the parser.
    public init() {}

    /// Called by the parser. Rejects more than one of these options.
    public func validate() throws {
        let given = [clientSecretFile != nil, clientSecretFd != nil, clientAssertionFile != nil]
        guard given.count(where: \.self) <= 1 else {
            throw ValidationError("Use one of --client-secret-file, --client-secret-fd, --client-assertion-file.")
        }
    }

    /// Whether one of these options was typed.
    var isGiven: Bool { !words.isEmpty }

    /// The typed option, for a command that a message advises.
    public var words: [String] {
        if let clientSecretFile { return ["--client-secret-file", clientSecretFile] }
        if let clientSecretFd { return ["--client-secret-fd", "\(clientSecretFd.number)"] }
        return clientAssertionFile.map { ["--client-assertion-file", $0] } ?? []
    }
}
