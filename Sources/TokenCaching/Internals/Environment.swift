internal import Glibc

/// The variables of the process that decide where things lie.
enum Environment {
    /// HOME and the base folders of the XDG Base Directory Specification, as far as they are set.
    static var folders: [String: String] {
        var found: [String: String] = [:]
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            if let value = unsafe getenv(name) { unsafe found[name] = String(cString: value) }
        }
        return found
    }
}
