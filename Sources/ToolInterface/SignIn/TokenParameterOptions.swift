// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import TokenCaching

/// What a token is for besides its scopes: parameters that are sent with its request, and tell tokens apart.
public struct TokenParameterOptions: ParsableArguments {
    /// The resource.
    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("The API that the token is for, as an absolute URI (RFC 8707).", valueName: "uri")
    )
    var resources: [String] = []

    /// The resource.
    public var resource: String? { resources.first }

    /// The audience.
    @Option(
        name: .customLong("audience"),
        help: ArgumentHelp("The API that the token is for, at an authority that calls it so.", valueName: "name")
    )
    var audiences: [String] = []

    /// The audience.
    public var audience: String? { audiences.first }

    /// The authority's own parameters, as they are typed.
    @Option(
        name: .customLong("parameter"),
        help: ArgumentHelp("A further parameter that the authority knows; may be repeated.", valueName: "name=value")
    )
    public var typedParameters: [String] = []

    /// Called by the parser.
    public init() {}

    /// Refuses parameters that cannot be sent.
    public func validate() throws {
        _ = try parameters()
        for (name, values) in [("--resource", resources), ("--audience", audiences)] where values.count > 1 {
            throw ValidationError("A token is for one API. Use \(name) once.")
        }
        do throws(TokenCacheError) {
            _ = try ExtendedCacheKey(requestParameters: all)
        } catch {
            throw ValidationError("A parameter is not valid: \(error.detail ?? error.description).")
        }
    }

    /// The authority's own parameters.
    public var own: [String: String] { (try? parameters()) ?? [:] }

    /// All parameters by their names.
    public var all: [String: String] {
        var all = own
        if let resource { all["resource"] = resource }
        if let audience { all["audience"] = audience }
        return all
    }

    /// The key of the tokens; nil for plain ones.
    public var key: ExtendedCacheKey? { try? ExtendedCacheKey(requestParameters: all) }

    /// The words of a command line with the same options.
    public var words: [String] {
        var words: [String] = []
        if let resource { words += ["--resource", AdvisedCommands.shellWord(resource)] }
        if let audience { words += ["--audience", AdvisedCommands.shellWord(audience)] }
        return words + typedParameters.flatMap { ["--parameter", AdvisedCommands.shellWord($0)] }
    }

    private func parameters() throws(ValidationError) -> [String: String] {
        var parameters: [String: String] = [:]
        for typed in typedParameters {
            let parts = typed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--parameter needs a name and a value: NAME=VALUE.") }
            let name = parts[0]
            if name == "resource" || name == "audience" { throw ValidationError("For \(name) use --\(name).") }
            guard parameters.updateValue(parts[1], forKey: name) == nil else {
                throw ValidationError("The parameter \(name) is given twice.")
            }
        }
        return parameters
    }
}
