// SPDX-License-Identifier: Apache-2.0

// A Swift program with a Swift library of its own, which loads the library: its casts, generics, tasks and those of the library stay
// apart. host LIBRARY ROOT

import Glibc

protocol Shape { var area: Double { get } }
struct Square: Shape { let side: Double; var area: Double { side * side } }

func hostWorks() async -> Bool {
    let values: [Any] = [Square(side: 2), 7, "text", [1, 2, 3], ["key": 1]]
    let shapes = values.compactMap { $0 as? any Shape }
    let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<100 { group.addTask { number * number } }
        return await group.reduce(0, +)
    }
    return shapes.first?.area == 4 && (values[3] as? [Int])?.count == 3 && (values[4] as? [String: Int])?["key"] == 1
        && sum == 328_350 && "\(Square(side: 1))".contains("side")
}

@main
struct Host {
    static func main() async {
        guard await hostWorks() else { exit(2) }
        guard let library = dlopen(CommandLine.arguments[1], RTLD_NOW) else { exit(3) }
        typealias Open =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeRawPointer?, UnsafeMutablePointer<OpaquePointer?>?,
                UnsafeMutableRawPointer?
            ) -> Int32
        typealias Close = @convention(c) (OpaquePointer?) -> Int32
        let open = unsafeBitCast(dlsym(library, "tokencache_open"), to: Open.self)
        let close = unsafeBitCast(dlsym(library, "tokencache_close"), to: Close.self)
        // tokencache_options: size, storage in memory; everything else zero.
        var options = [UInt32](repeating: 0, count: 18)
        options[0] = 72
        options[1] = 3
        var cache: OpaquePointer?
        guard open("hosted", "client", &options, &cache, nil) == 0, await hostWorks(), close(cache) == 0 else {
            exit(4)
        }
        guard close(cache) == 200, await hostWorks() else { exit(5) }
        print("works")
    }
}
