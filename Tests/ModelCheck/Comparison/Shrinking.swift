// SPDX-License-Identifier: Apache-2.0

/// Makes a sequence that fails as short as it gets by leaving things out while it still fails.
enum Shrinking {
    static func shrunk<Step>(
        _ steps: [Step],
        whileFailing fails: ([Step]) -> Bool,
        simpler: (Step) -> [Step]
    ) -> [Step] {
        var shortest = steps
        var isShrinking = true
        while isShrinking {
            isShrinking = false
            for size in [8, 4, 2, 1] {
                var location = 0
                while location < shortest.count {
                    var shorter = shortest
                    shorter.removeSubrange(location..<min(location + size, shorter.count))
                    if fails(shorter) {
                        shortest = shorter
                        isShrinking = true
                    } else {
                        location += size
                    }
                }
            }
            for location in shortest.indices {
                for simpler in simpler(shortest[location]) {
                    var changed = shortest
                    changed[location] = simpler
                    if fails(changed) {
                        shortest = changed
                        isShrinking = true
                        break
                    }
                }
            }
        }
        return shortest
    }
}

extension Operation {
    /// The same with a little less in it.
    var simpler: [Operation] {
        switch self {
        case .take(let document, let replaces):
            guard document.count > 1 else { return [] }
            return document.indices.map { index in
                var rest = document
                rest.remove(at: index)
                return .take(rest, replaces: replaces)
            }
        case .save(let response, let cache):
            return response.simpler.filter { $0 != response && $0.hasToken }.map { .save($0, by: cache) }
        case .finish(let response, let cache):
            return response.simpler.filter { $0 != response && $0.hasToken }.map { .finish($0, by: cache) }
        default: return []
        }
    }
}

extension Response {
    fileprivate var hasToken: Bool { accessToken != nil || refreshToken != nil || claims != nil }

    fileprivate var simpler: [Response] {
        let changes: [(inout Response) -> Void] = [
            { $0.accessToken = nil }, { $0.refreshToken = nil },
            { $0.claims = nil }, { $0.extendedExpiresIn = nil }, { $0.refreshIn = nil }, { $0.family = nil },
            { $0.granted = nil }, { $0.expiresIn = nil },
        ]
        return changes.map { change in
            var copy = self
            change(&copy)
            return copy
        }
    }
}
