// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// For programs that only measure: they call the C library a lot, and are no part of what is used.
let measuringSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let swiftSettings: [SwiftSetting] =
    measuringSettings + [
        // Returning a RawSpan from a property needs it.
        .enableExperimentalFeature("Lifetimes"),
        .strictMemorySafety(),
    ]

let package = Package(
    name: "swift-token-cache",
    products: [
        .library(name: "TokenCaching", targets: ["TokenCaching"]),
        .library(name: "CacheAdministration", targets: ["CacheAdministration"]),
        .library(name: "TokenCachingFoundation", targets: ["TokenCachingFoundation"]),
        .library(name: "TokenAcquisition", targets: ["TokenAcquisition"]),
        // The objects that scripts/install-library links as libtokencache.so.
        .library(name: "tokencache", type: .static, targets: ["TokenCacheLibrary"]),
        .executable(name: "cachetool", targets: ["cachetool"]),
        .executable(name: "cachetool-sign-in", targets: ["cachetool-sign-in"]),
    ],
    traits: [
        .trait(
            name: "SignIn",
            description: "An HTTP client and a redirect listener for TokenAcquisition, in place of the app's own."
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),

        // Of the trait SignIn only: where it is off, nobody fetches them.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // libsodium, as the distribution ships it.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),

        // The calls of Linux that Swift cannot make by itself, and one instruction of the processor.
        .target(name: "CLinux"),

        // Bytes: loading, comparing, folding, hexadecimal, base64. Public and inlinable, so that they cost what they did when each
        // module had its own, and no product.
        .target(name: "ByteOperations", swiftSettings: swiftSettings),

        // Secret memory, keys, sealed boxes: the only importer of CSodium.
        .target(name: "Sealing", dependencies: ["ByteOperations", "CLinux", "CSodium"], swiftSettings: swiftSettings),

        // What a credential is. Pure values, no I/O.
        .target(name: "UnifiedSchema", dependencies: ["ByteOperations", "Sealing"], swiftSettings: swiftSettings),

        // What a store of sealed records is, and the one in memory.
        .target(
            name: "RecordStorage",
            dependencies: ["Sealing", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: swiftSettings
        ),

        // The folder of a group: checks, locks, state file, revision page.
        .target(
            name: "GroupDirectory",
            dependencies: [
                "ByteOperations", "CLinux", "RecordStorage", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        // The encrypted file.
        .target(
            name: "FileStorage",
            dependencies: [
                "ByteOperations", "GroupDirectory", "RecordStorage", "Sealing",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        // libsecret and GLib, declared by ourselves and bound at run time on first use: nothing of theirs is needed to build.
        .target(name: "CSecretService"),

        // The user's keyring: the only importer of CSecretService.
        .target(
            name: "SecretServiceStorage",
            dependencies: [
                "ByteOperations", "CSecretService", "GroupDirectory", "RecordStorage", "Sealing",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        // What the records of a group hold: entries sealed and opened, and what is kept beside them. No queries, no rules of a cache.
        .target(
            name: "GroupRecords",
            dependencies: ["ByteOperations", "RecordStorage", "Sealing", "UnifiedSchema"],
            swiftSettings: swiftSettings
        ),

        // The library for apps.
        .target(
            name: "TokenCaching",
            dependencies: [
                "ByteOperations", "CLinux", "FileStorage", "GroupDirectory", "GroupRecords", "RecordStorage", "Sealing",
                "SecretServiceStorage", "UnifiedSchema",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        // What tools do with groups: listing, import and export, keys, repair, migration, diagnostics.
        .target(
            name: "CacheAdministration",
            dependencies: [
                "ByteOperations", "FileStorage", "GroupDirectory", "GroupRecords", "RecordStorage", "Sealing",
                "SecretServiceStorage", "TokenCaching", "UnifiedSchema",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        // The interface for C: its header, and the implementation, which the compiler compares with the header.
        .target(name: "CTokenCache", exclude: ["tokencache.map"]),
        .target(
            name: "TokenCacheLibrary",
            dependencies: [
                "ByteOperations", "CTokenCache", "CacheAdministration", "RecordStorage", "TokenCaching",
                "UnifiedSchema",
            ],
            swiftSettings: swiftSettings
        ),

        // The same with the dates and the data of Foundation, for apps that use it anyway.
        .target(name: "TokenCachingFoundation", dependencies: ["TokenCaching"], swiftSettings: swiftSettings),

        // Tokens from authorization servers: what talks to providers. Knows the network only as a protocol, which the trait
        // SignIn adds an implementation of.
        .target(
            name: "TokenAcquisition",
            dependencies: [
                "ByteOperations", "CLinux", "GroupDirectory", "Sealing", "TokenCaching", "UnifiedSchema",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(traits: ["SignIn"])
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["SignIn"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["SignIn"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["SignIn"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["SignIn"])),
            ],
            swiftSettings: swiftSettings
        ),

        // The command line as the kernel passed it: Swift reads it from /proc, which may be missing.
        .target(name: "CProgramStart"),

        // What the programs of the command line share: options of a group, output, exit statuses. Like a third-party tool it sees only
        // the public declarations of the libraries.
        .target(
            name: "ToolInterface",
            dependencies: [
                "ByteOperations", "CProgramStart", "CacheAdministration", "TokenCaching",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false,
            swiftSettings: swiftSettings
        ),

        // The command line.
        .executableTarget(
            name: "cachetool",
            dependencies: [
                "CacheAdministration", "TokenCaching", "ToolInterface",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false,
            swiftSettings: swiftSettings
        ),

        // What cachetool starts to ask authorization servers. Without the trait SignIn it only says so.
        .executableTarget(
            name: "cachetool-sign-in",
            dependencies: [
                "CacheAdministration", "TokenAcquisition", "TokenCaching", "ToolInterface",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false,
            swiftSettings: swiftSettings
        ),

        // Random numbers that are the same in every run.
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: swiftSettings),
        .testTarget(
            name: "ByteOperationsTests",
            dependencies: ["ByteOperations"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "UnifiedSchemaTests",
            dependencies: ["ByteOperations", "Sealing", "SeededRandom", "UnifiedSchema"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SealingTests",
            dependencies: ["Programs", "Sealing", "SeededRandom"],
            swiftSettings: swiftSettings
        ),

        // One suite that every store passes unchanged.
        .target(
            name: "StoreConformance",
            dependencies: ["RecordStorage", "SeededRandom"],
            path: "Tests/StoreConformance",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "RecordStorageTests",
            dependencies: ["RecordStorage", "StoreConformance"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "GroupDirectoryTests",
            dependencies: [
                "GroupDirectory", "Programs", "RecordStorage", "StoreConformance",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FileStorageTests",
            dependencies: [
                "ByteOperations", "FileStorage", "GroupDirectory", "Programs", "RecordStorage", "Sealing",
                "SeededRandom",
                "StoreConformance",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: swiftSettings
        ),
        // The program that the tests of the keyring start and kill.
        .executableTarget(
            name: "keyring-worker",
            dependencies: [
                "CacheAdministration", "GroupDirectory", "RecordStorage", "Sealing", "SecretServiceStorage",
                "TokenCaching",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/KeyringWorker",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SecretServiceStorageTests",
            dependencies: [
                "ByteOperations", "GroupDirectory", "Programs", "RecordStorage", "Sealing", "SecretServiceStorage",
                "SeededRandom", "StoreConformance", "keyring-worker",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Declarations", "Fake"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "GroupRecordsTests",
            dependencies: ["ByteOperations", "GroupRecords", "RecordStorage", "Sealing", "UnifiedSchema"],
            swiftSettings: swiftSettings
        ),
        // What tests of the two libraries share. A test target, although it has no tests: it sees what is internal to them.
        .testTarget(
            name: "TokenCachingTestSupport",
            dependencies: [
                "ByteOperations", "CacheAdministration", "FileStorage", "GroupDirectory", "GroupRecords", "Programs",
                "RecordStorage", "Sealing", "SecretServiceStorage", "SeededRandom", "TokenCaching", "UnifiedSchema",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TokenCachingTests",
            dependencies: [
                "ByteOperations", "CacheAdministration", "FileStorage", "GroupDirectory", "GroupRecords", "Programs",
                "RecordStorage", "Sealing", "SecretServiceStorage", "SeededRandom", "TokenCaching",
                "TokenCachingTestSupport", "UnifiedSchema", "cachetool", "keyring-worker",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CacheAdministrationTests",
            dependencies: [
                "ByteOperations", "CacheAdministration", "FileStorage", "GroupDirectory", "GroupRecords", "Programs",
                "RecordFileStorageTests", "RecordStorage", "Sealing", "SecretServiceStorage", "SeededRandom",
                "TokenCaching", "TokenCachingTestSupport", "UnifiedSchema", "cachetool", "keyring-worker",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),
        // A third kind of store, which production does not know: apps and tools use it all the same.
        .testTarget(
            name: "RecordFileStorageTests",
            dependencies: [
                "ByteOperations", "CacheAdministration", "GroupDirectory", "RecordStorage", "Sealing",
                "StoreConformance", "TokenCaching", "TokenCachingTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),

        .testTarget(
            name: "TokenAcquisitionTests",
            dependencies: ["ByteOperations", "Sealing", "TokenAcquisition", "TokenCaching", "UnifiedSchema"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TokenCacheLibraryTests",
            dependencies: ["CTokenCache", "RecordStorage", "TokenCacheLibrary", "TokenCaching"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TokenCachingFoundationTests",
            dependencies: ["TokenCaching", "TokenCachingFoundation"],
            swiftSettings: swiftSettings
        ),

        // Tests that start the built programs: the command line, several processes on one group, kills and faults.
        .target(name: "Programs", path: "Tests/Programs", swiftSettings: swiftSettings),
        .testTarget(
            name: "CachetoolTests",
            dependencies: [
                "CacheAdministration", "Programs", "RecordStorage", "Sealing", "SeededRandom", "TokenCaching",
                "ToolInterface", "cachetool", "cachetool-sign-in",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Snapshots"],
            swiftSettings: swiftSettings
        ),
        // What two applications and a token endpoint need of the network, for tests and examples on one machine.
        .target(name: "LocalHTTP", path: "Examples/LocalHTTP", swiftSettings: swiftSettings),
        .executableTarget(
            name: "token-endpoint",
            dependencies: ["LocalHTTP"],
            path: "Examples/TokenEndpoint",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "example-app",
            dependencies: ["LocalHTTP", "TokenCaching"],
            path: "Examples/App",
            swiftSettings: swiftSettings
        ),
        // A third-party tool: it sees only the public declarations of the libraries.
        .executableTarget(
            name: "inventory",
            dependencies: ["CacheAdministration", "TokenCaching"],
            path: "Examples/Inventory",
            packageAccess: false,
            swiftSettings: swiftSettings
        ),
        // What several processes did, and whether it can be put in an order.
        .target(name: "Histories", path: "Tests/Histories", swiftSettings: swiftSettings),
        .executableTarget(
            name: "group-worker",
            dependencies: ["CacheAdministration", "Histories", "LocalHTTP", "SeededRandom", "TokenCaching"],
            path: "Tests/GroupWorker",
            swiftSettings: swiftSettings
        ),
        // Random sequences against a reference model of the rules.
        .executableTarget(
            name: "model-check",
            dependencies: ["CacheAdministration", "RecordStorage", "SeededRandom", "TokenCaching"],
            path: "Tests/ModelCheck",
            swiftSettings: swiftSettings
        ),
        // Ends a program at one of its system calls.
        .executableTarget(name: "kill-at-call", path: "Tests/KillAtCall"),
        // Random changes to the files of groups.
        .executableTarget(
            name: "group-fuzzer",
            dependencies: [
                "CacheAdministration", "FileStorage", "GroupDirectory", "Programs", "RecordStorage", "Sealing",
                "SeededRandom",
                "TokenCaching",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/GroupFuzzer",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "Histories", "LocalHTTP", "Programs", "SeededRandom", "group-fuzzer", "group-worker", "cachetool",
                "kill-at-call", "model-check", "token-endpoint",
            ],
            path: "Tests/Processes",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FaultTests",
            dependencies: ["Programs", "group-worker", "cachetool"],
            path: "Tests/Faults",
            swiftSettings: swiftSettings
        ),

        // What the gate of the benchmarks counts. Here, and not in the package of the benchmarks, so that one build has it.
        .target(name: "SampleAccounts", path: "Benchmarks/Sources/SampleAccounts", swiftSettings: measuringSettings),
        .target(
            name: "Operations",
            dependencies: ["CacheAdministration", "SampleAccounts", "TokenAcquisition", "TokenCaching"],
            path: "Benchmarks/Sources/Operations",
            swiftSettings: measuringSettings
        ),
        // What applications do that ask libsecret themselves, to stand beside us.
        .target(name: "LibsecretCalls", path: "Benchmarks/Sources/LibsecretCalls"),
        .executableTarget(
            name: "gate",
            dependencies: ["LibsecretCalls", "Operations", "SampleAccounts", "TokenCaching"],
            path: "Benchmarks/Sources/gate",
            swiftSettings: measuringSettings
        ),
        .executableTarget(
            name: "figures",
            dependencies: ["CacheAdministration", "Operations", "SampleAccounts", "TokenCaching"],
            path: "Benchmarks/Sources/figures",
            swiftSettings: measuringSettings
        ),
    ]
)

// scripts/test-sanitizers builds no more than it runs.
if Context.environment["TOKEN_CACHE_TARGETS"] == "storage" {
    let storage: Set = [
        "ByteOperations", "CLinux", "CSodium", "FileStorage", "FileStorageTests", "GroupDirectory",
        "GroupDirectoryTests", "Programs", "RecordStorage", "RecordStorageTests", "Sealing", "SealingTests",
        "SeededRandom", "StoreConformance",
    ]
    package.targets.removeAll { !storage.contains($0.name) }
    package.products = []
}
