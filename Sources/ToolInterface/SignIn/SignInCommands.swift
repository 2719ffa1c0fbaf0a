// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// The names and help texts of the commands that cachetool-sign-in runs. cachetool uses them for its own help, and
/// starts that program for everything that needs the network.
public enum SignInCommands {
    /// `cachetool sign-in`
    public static let signIn = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign a user in, and keep the tokens.",
        usage: """
            cachetool sign-in [<options>] (--authority <url> --client <client> --scopes <scopes> | --for <url>)
            cachetool sign-in <profile> [<options>]
            """,
        discussion: """
            Opens the browser, and waits five minutes for the user to sign in there. $BROWSER names another browser. \
            With --device-code, prints an address and a code instead, which the user enters with a browser on any \
            device: for SSH, containers and machines without a browser. Enter only a code that you have just requested \
            yourself: anyone who sends you a code can sign in as you with it (RFC 8628, section 5.4).

            $HTTPS_PROXY names a proxy, and $NO_PROXY the hosts to reach without it. $SSL_CERT_FILE (a file) and \
            $SSL_CERT_DIR (folders) name the root certificates to trust instead of the system's.

            The group is created if it does not exist yet, and not kept if the sign-in fails. Every application of the \
            group that has the same client id, or is of the same family, then gets tokens without the user.

            Other users of the machine can read the arguments of a running command: to keep a username out of them, \
            pass --login-hint - and write the name to standard input. Codes and tokens are never in arguments or \
            variables.

            With --save-as, keeps these options under a name, a profile: cachetool token, lookup, sign-out and sign-in then \
            take the name in their place. Profiles contain names, but no secret, and are in $XDG_CONFIG_HOME/swift-token-cache/profiles, \
            else ~/.config/swift-token-cache/profiles, which you can edit.

            With --for, only the address of an API is needed: the API names its authority and scopes (RFC 9728), and where \
            the authority registers clients by itself (RFC 7591), cachetool registers one, which the group keeps. From then \
            on, cachetool token --for gets tokens for that address. Use it only for an API that you trust: it chooses where \
            you sign in, and gets a token from there.

            EXAMPLES:
              cachetool sign-in --authority https://login.microsoftonline.com/common \\
                  --client 11111111-2222-3333-4444-555555555555 \\
                  --scopes User.Read --save-as work
              cachetool sign-in --device-code --authority https://id.example.com \\
                  --client notes --scopes "openid offline_access"
              cachetool sign-in --for https://api.example.com/mcp
            """
    )

    /// `cachetool token`
    public static let token = CommandConfiguration(
        commandName: "token",
        abstract: "Get an access token without interaction, and pass it to a command.",
        usage: "cachetool token [<profile>] [<options>] -- [<command> ...]",
        discussion: """
            Takes the token from the group, or renews it at the authority, in one process of the group at a time. If \
            the user has to sign in, the exit status is 3, and standard error shows the command for that.

            A profile of cachetool sign-in --save-as stands for its options; $CACHETOOL_PROFILE names the one to use if \
            neither a profile nor an app is named. Without either, the token is for the only app that is signed in, with \
            the scopes of its latest token.

            The arguments after two hyphens are a command, which replaces cachetool and can read the token once, from \
            the file descriptor whose number is in the variable CACHETOOL_TOKEN_FD: 3, unless the caller uses that. With \
            --header, it reads a line with the whole header. The token itself is never in an argument or a variable. The \
            command writes no core dump, because it has a token. Its exit status is passed on; 126 means that it cannot be \
            started, 127 that there is no such command, and 125 that there is no token for another reason than that the \
            user has to sign in.

            Tokens with the same scopes for several APIs are kept apart: --resource, --audience and --parameter are sent \
            to the authority, and only a request with the same ones gets the token.

            With --application, gets a token of the app itself: for services, without a user. The group is created if it does \
            not exist yet. What the authority refuses is remembered for two minutes in the group; after correcting a secret, \
            use --force-refresh.

            Without a command, shows only when the token expires. --reveal writes the token to a terminal, and with \
            --yes to a pipe or a file.

            EXAMPLES:
              cachetool token work --header -- \\
                  curl -H @/dev/fd/3 https://graph.microsoft.com/v1.0/me
              cachetool token --account adele@contoso.example --client notes \\
                  --scopes User.Read --json
              cachetool token --application --authority https://id.example.com \\
                  --client backup --client-secret-file secret --scopes files.read
              cachetool token --for https://api.example.com/mcp -- ./client
            """
    )

    /// `cachetool sign-out`
    public static let signOut = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign an account out of one app.",
        discussion: """
            Removes that app's tokens of the account, in all tenants and clouds, and remembers that the account is \
            signed out there: only an interactive sign-in by the user brings it back. Other apps stay signed \
            in; a refresh token shared by a family of apps is removed when the last of them signs out.

            The tokens are removed at once. With --revoke, also asks the authority to revoke them; with --browser, \
            also ends the user's session in the browser, on a page that opens there: otherwise the next sign-in may \
            need no password. If the authority does not do that, the exit status is 9, and the account is signed out \
            here all the same. A refresh token that another sign-in replaced is not in the group any more, and stays \
            valid at the authority until it expires.

            A refresh token that could not be revoked is kept, sealed, for a day at most, 16 per group, only to try \
            again: repeat the command, or run cachetool doctor --revoke-pending for all apps. Some authorities then also \
            end what the user signed in to since. --forget removes it, as does cachetool clear with --all, or with \
            --account and no other filter. What the authority refuses to revoke is not kept.

            A name is that of a profile of cachetool sign-in --save-as, which stays, or else the whole id or username of an \
            account; $CACHETOOL_PROFILE names a profile if nothing else is named. Other users of the machine can read the \
            arguments of a running command; an id, or its beginning, tells them less than a username.

            EXAMPLES:
              cachetool sign-out adele@contoso.example \\
                  --client 11111111-2222-3333-4444-555555555555
              cachetool sign-out --client 11111111-2222-3333-4444-555555555555 \\
                  --account -1ZbClB2y0ClAD2i7ChQA
              cachetool sign-out work
              cachetool sign-out adele@contoso.example --client notes \\
                  --browser --revoke
            """
    )
}

extension SignInCommands {
    /// The part of `cachetool doctor` that needs the network.
    public static let revokePending = CommandConfiguration(
        commandName: "doctor",
        abstract: "Repeat the revocations that are pending."
    )
}

/// The option that names the redirect URI.
enum RedirectOption {
    static let help = ArgumentHelp(
        """
        The redirect URI, exactly as registered: http://localhost, http://127.0.0.1 or http://[::1], with a port and a \
        path if the registration has them. (default: http://localhost at Microsoft's servers, else http://127.0.0.1)
        """,
        valueName: "uri"
    )
}

/// The argument that names a profile.
public enum ProfileOption {
    /// Its help.
    public static let help = ArgumentHelp(
        "A profile of sign-in --save-as, in place of its options.",
        valueName: "profile"
    )
}

/// The values of `--response-mode`.
public enum ResponseModeName: String, ExpressibleByArgument, CaseIterable {
    /// A form that the browser posts.
    case formPost = "form_post"
    /// The query of the redirect URI.
    case query
}

/// The values of `--prompt`.
public enum PromptName: String, ExpressibleByArgument, CaseIterable {
    /// To choose an account.
    case selectAccount = "select_account"
    /// To sign in, even if there is a session.
    case login
    /// To consent, even if the user has consented.
    case consent
    /// To create an account.
    case create
}

/// The user, the authority and the scopes of a sign-in.
public struct SignInOptions: ParsableArguments {
    /// A profile, whose options are on the command line by now.
    @Argument(help: ProfileOption.help, completion: NameCompletion.profiles)
    public var profile: String?

    /// The name under which to keep the options.
    @Option(help: ArgumentHelp("Keep these options as a profile of this name.", valueName: "name"))
    public var saveAs: String?

    /// The address of an API.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The address of an API, which names its authority and its scopes itself; then --authority, --client and --scopes "
                + "only choose among them.",
            valueName: "url"
        )
    )
    public var resourceAddress: String?

    /// Whether to register a client although the group keeps one.
    @Flag(help: "With --for, register a new client: if the authority has forgotten the one that the group keeps.")
    public var register = false

    /// The URL of the authority.
    @Option(help: ArgumentHelp("Where to sign in: the URL of the tenant, or of the issuer.", valueName: "url"))
    public var authority: String?

    /// The application.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The app to sign in to.", valueName: "client"),
        completion: NameCompletion.clients
    )
    public var client: String?

    /// What the application authenticates with.
    @OptionGroup public var credential: ClientCredentialOptions

    /// The scopes, separated by spaces.
    @Option(help: ArgumentHelp("The requested scopes, separated by spaces, in quotes.", valueName: "scopes"))
    public var scopes: String?

    /// The scopes to request in addition, separated by spaces.
    @Option(
        help: ArgumentHelp(
            "What to request beside --scopes, for the user's name and a refresh token; openid must be in one of the two. "
                + "(default: openid profile offline_access, as far as the authority lists them)",
            valueName: "scopes"
        )
    )
    public var addedScopes: String?

    /// The page to show.
    @Option(
        help: ArgumentHelp(
            "The page to show even if it is not necessary; some authorities grant offline_access only with consent.",
            valueName: "page"
        )
    )
    public var prompt: PromptName?

    /// Whether the user's browser is on another device.
    @Flag(help: "Print a code to enter with a browser on any device, instead of opening one.")
    public var deviceCode = false

    /// The redirect URI.
    @Option(help: RedirectOption.help)
    public var redirectURI: String?

    /// An issuer to allow.
    @Option(
        help: ArgumentHelp(
            "The issuer of --authority, if users signed in to this app elsewhere with the same redirect URI and the server "
                + "does not name itself in its responses (RFC 9207): it could get codes of the others. Asked for on a "
                + "terminal.",
            valueName: "url"
        )
    )
    public var allowIssuer: String?

    /// How the browser returns the response.
    @Option(
        help: ArgumentHelp(
            "How the browser returns the response. (default: form_post if the authority offers it)",
            valueName: "mode"
        )
    )
    public var responseMode: ResponseModeName?

    /// The username to fill in.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The name to fill in for the user; - reads it from standard input.", valueName: "name")
    )
    public var loginHint: String?

    /// The claims that the token must have.
    @Option(help: ArgumentHelp("A claims challenge (JSON) that the token has to meet.", valueName: "json"))
    public var claims: String?

    /// The account, at an authority that does not name it.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The name under which to keep the tokens, for an authority without id tokens, which does not say who signed in.",
            valueName: "name"
        )
    )
    public var account: String?

    /// A domain of the user's organization.
    @Option(
        help: ArgumentHelp(
            "A domain of the user's organization, whose own sign-in page Microsoft's servers then show at once.",
            valueName: "domain"
        )
    )
    public var domainHint: String?

    /// What the token is for besides its scopes.
    @OptionGroup public var parameters: TokenParameterOptions

    /// Whether the authority's own parameters tell tokens apart.
    @Flag(
        help: "Keep the token only for requests with the same --parameter options, as cachetool token makes them."
    )
    public var isolate = false

    /// The maximum age of the user's sign-in at the authority, in seconds.
    @Option(
        help: ArgumentHelp(
            "Ask for the password again if the user gave it longer ago than that.",
            valueName: "seconds"
        )
    )
    public var maxAge: UInt32?

    /// The authority's endpoints.
    @OptionGroup public var endpoints: EndpointOptions

    /// Called by the parser.
    public init() {}

    /// Called by the parser.
    public func validate() throws {
        if let saveAs, !Profile.isName(saveAs) {
            throw ValidationError(
                "The name of a profile is a lowercase letter, then up to 31 lowercase letters, digits, - and _, such as work."
            )
        }
        for (name, text) in [("--domain-hint", domainHint), ("--login-hint", loginHint), ("--account", account)]
        where text?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) == true {
            throw ValidationError("\(name) contains a control character.")
        }
        guard resourceAddress != nil else {
            if register { throw ValidationError("--register is for --for.") }
            if authority != nil, client != nil, scopes != nil { return }
            throw ValidationError("Use --authority, --client and --scopes, or --for with the address of an API.")
        }
        if parameters.resource != nil { throw ValidationError("Use either --for or --resource.") }
        if register, client != nil { throw ValidationError("Use either --register or --client.") }
        // The API chooses the authority, which must not get what another one knows.
        guard !credential.isGiven, endpoints.tokenEndpoint == nil else {
            throw ValidationError("--for is for clients without a secret, and for authorities with metadata.")
        }
    }
}

/// The requested token, and the command that gets it.
public struct TokenOptions: ParsableArguments {
    /// A profile, whose options are on the command line by now.
    @Argument(help: ProfileOption.help, completion: NameCompletion.profiles)
    public var profile: String?

    /// A home account id or a username.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A home account id or a username, or how one of them begins. (default: the only one that is signed in)",
            valueName: "account"
        ),
        completion: NameCompletion.accounts
    )
    public var account: String?

    /// The address of an API.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The address of an API for which cachetool sign-in --for was run: it replaces --client, --scopes and --authority.",
            valueName: "url"
        )
    )
    public var resourceAddress: String?

    /// The application.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The requesting app; the beginning of its id is enough. (default: the only one that is signed in)",
            valueName: "client"
        ),
        completion: NameCompletion.clients
    )
    public var client: String?

    /// What the application authenticates with.
    @OptionGroup public var credential: ClientCredentialOptions

    /// The scopes, separated by spaces.
    @Option(
        help: ArgumentHelp(
            "The requested scopes, separated by spaces, in quotes. (default: those of the app's latest token)",
            valueName: "scopes"
        )
    )
    public var scopes: String?

    /// The URL of the authority.
    @Option(
        help: ArgumentHelp(
            "The URL of the tenant, or of the issuer. (default: the one that the account signed in at)",
            valueName: "url"
        )
    )
    public var authority: String?

    /// What the token is for besides its scopes.
    @OptionGroup public var parameters: TokenParameterOptions

    /// The claims that the token must have.
    @Option(help: ArgumentHelp("A claims challenge (JSON): ignores the cached access token.", valueName: "json"))
    public var claims: String?

    /// The authority's endpoints.
    @OptionGroup public var endpoints: EndpointOptions

    /// Whether the token is the application's own.
    @Flag(
        help: ArgumentHelp(
            "Get a token of the app itself, not of a user (client credentials); needs --authority, the whole id of the app, "
                + "and its secret or an assertion."
        )
    )
    public var application = false

    /// Whether to ignore a valid token.
    @Flag(help: "Renew the token although it is still valid; fails if the authority gives no new one.")
    public var forceRefresh = false

    /// Whether the command reads a header.
    @Flag(help: "Pass the command the line \"Authorization: Bearer TOKEN\", as curl -H @/dev/fd/3 reads it.")
    public var header = false

    /// The command that gets the token, and its arguments.
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command that gets the token, after two hyphens.", valueName: "command")
    )
    public var command: [String] = []

    /// Called by the parser.
    public init() {}

    /// Called by the parser.
    public func validate() throws {
        if resourceAddress != nil {
            let others = [client, scopes, authority, endpoints.tokenEndpoint, parameters.resource]
            guard !application, !credential.isGiven, others.allSatisfy({ $0 == nil }) else {
                throw ValidationError(
                    "--for replaces --client, --scopes, --authority and --resource, and is for users and clients without a secret."
                )
            }
        }
        if header, command.isEmpty { throw ValidationError("--header is for a command, after two hyphens.") }
        // The account could be of an authority that an API chose, which must not get what the client authenticates with.
        if application || credential.isGiven, authority == nil {
            throw ValidationError("With --application, or with a secret or an assertion, use --authority.")
        }
        guard application else { return }
        guard client != nil, scopes != nil else {
            throw ValidationError("With --application, use --client and --scopes.")
        }
        if account != nil { throw ValidationError("Use either --application or --account.") }
        guard credential.isGiven else {
            throw ValidationError(
                "With --application, use --client-secret-file, --client-secret-fd or --client-assertion-file."
            )
        }
    }
}
