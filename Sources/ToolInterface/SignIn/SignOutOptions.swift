// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// The application that `cachetool sign-out` signs out of, and what to do outside the group.
public struct SignOutOptions: ParsableArguments {
    /// The account in full. A profile stands for its options, which are on the command line by now.
    @Argument(
        help: ArgumentHelp(
            "A profile of sign-in --save-as, or the whole id or username of an account.",
            valueName: "name"
        ),
        completion: NameCompletion.profilesAndAccounts
    )
    var name: String?

    /// The account, or how it begins.
    @Option(
        name: .customLong("account"),
        parsing: .unconditional,
        help: ArgumentHelp("A home account id, or its beginning, or a username.", valueName: "account"),
        completion: NameCompletion.accounts
    )
    var beginning: String?

    static let clientMissing = "Name the app with --client, or use a profile; cachetool profiles lists them."

    /// The account, as it was typed.
    public var account: String { beginning ?? name ?? "" }

    /// The application.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The app to sign out of; the beginning of its id is enough.", valueName: "client"),
        completion: NameCompletion.clients
    )
    public var client: String?

    /// What the application authenticates with.
    @OptionGroup public var credential: ClientCredentialOptions

    /// Whether to revoke the tokens at the server.
    @Flag(help: "Also revoke the app's refresh tokens that are removed, at the authority.")
    public var revoke = false

    /// Whether to remove pending revocations.
    @Flag(help: "Also remove the app's refresh tokens of the account that --revoke could not revoke and kept.")
    public var forget = false

    /// Whether to end the session in the browser.
    @Flag(help: "Also end the user's session at the authority, with the browser.")
    public var browser = false

    /// The redirect URI.
    @Option(help: RedirectOption.help)
    public var redirectURI: String?

    /// The URL of the authority.
    @Option(
        help: ArgumentHelp(
            "The URL of the authority. (default: the one that the account signed in at)",
            valueName: "url"
        )
    )
    public var authority: String?

    /// The authority's endpoints.
    @OptionGroup public var endpoints: EndpointOptions

    /// Whether the user has confirmed in advance.
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    public var yes = false

    /// Called by the parser.
    public init() {}

    /// Called by the parser.
    public func validate() throws {
        guard (name == nil) != (beginning == nil) else {
            throw ValidationError("Name a profile or an account, or use --account.")
        }
        guard client != nil || name.map(Profile.isName) == true else { throw ValidationError(Self.clientMissing) }
        if credential.isGiven, authority == nil {
            throw ValidationError("With a secret or an assertion, use --authority.")
        }
        if revoke && forget { throw ValidationError("Use either --revoke or --forget.") }
    }

    /// Whether the command must send requests to the authority, which only cachetool-sign-in can do.
    public var needsNetwork: Bool { revoke || browser }
}
