// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A package of its own, so that nobody who uses the library resolves what only measuring needs.
let package = Package(
    name: "swift-token-cache-benchmarks",
    dependencies: [
        .package(name: "swift-token-cache", path: "../"),
        // Without its traits: they count allocations by a library that has to be built apart.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // The same sources that the gate counts, which the package above builds for itself.
        .target(name: "SampleAccounts", swiftSettings: swiftSettings),
        .target(
            name: "Operations",
            dependencies: [
                "SampleAccounts",
                .product(name: "CacheAdministration", package: "swift-token-cache"),
                .product(name: "TokenAcquisition", package: "swift-token-cache"),
                .product(name: "TokenCaching", package: "swift-token-cache"),
            ],
            swiftSettings: swiftSettings
        ),

        .executableTarget(
            name: "TokenCacheOperations",
            dependencies: ["Operations", .product(name: "Benchmark", package: "benchmark")],
            path: "TokenCacheOperations",
            swiftSettings: swiftSettings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ]
)
