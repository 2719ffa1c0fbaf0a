// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition
import TokenCaching

/// What a worker reports: a JSON object in a line. No report contains a secret.
enum Output {
    static func report(_ event: String, _ facts: [String: String] = [:]) {
        let object = facts.merging(["event": event]) { own, _ in own }
        guard var line = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]) else { return }
        line.append(UInt8(ascii: "\n"))
        // In one call, so that a kill leaves no half of a line.
        FileHandle.standardOutput.write(line)
    }

    /// Reports a token by the public part that the strict provider puts before the first dot of it.
    static func report(_ result: AuthenticationResult) {
        report("token", ["token": publicPart(result), "source": "\(result.source)"])
    }

    static func publicPart(_ result: AuthenticationResult) -> String {
        let secret = try? result.accessToken.secretString
        return secret.map { String($0.prefix { $0 != "." }) } ?? ""
    }

    /// A value in each form in which an application may print it.
    static func texts(of value: Any) -> [String: String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["description": "\(value)", "reflecting": String(reflecting: value), "dump": dumped]
    }

    /// Reports an error in each form in which an application may print it.
    static func report(_ error: any Error) {
        var facts = texts(of: error)
        if let error = error as? AcquisitionError {
            facts["code"] = error.code.description
            facts["reason"] = error.reason?.description
            facts["error"] = error.errorResponse?.error
            facts["granted"] = error.grantedScopes.joined(separator: " ")
            facts["declined"] = error.declinedScopes.joined(separator: " ")
            facts["process"] = error.processID.map(String.init)
            facts["claims"] = error.claimsToRequest?.json
        }
        report("error", facts)
    }
}
