// swift-tools-version: 6.2
import PackageDescription

// A target imports only targets of lower lines, never its own line; CI builds with --explicit-target-dependency-import-check error.
//
//   7  tidings
//   6  TidingsServer
//   5  TidingsRouter  TidingsDelivery  TidingsRelease  TidingsClient  TidingsCapture
//      ProviderAPNs  ProviderAirship  ProviderBraze  ProviderFCM  ProviderHTTP  ProviderNull  ProviderWebPush  ProviderWebhook
//   4  TidingsHTTPProvider
//   3  TidingsStore  TidingsProvider
//   2  TidingsWire  TidingsHTTP2
//   1  TidingsCore  TidingsAMQP  TidingsPostgres  TidingsHTTP  TidingsMetrics  PrivateServers
//   0  TidingsSocket  CRabbitMQ  CLibpq  CCurl  CCrypto  CNGHTTP2  CTLS

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// The two drivers hold C pointers: every unsafe expression in them is marked.
let driverSettings = settings + [.strictMemorySafety()]

/// Lets tests kill a process between any two steps of the data path. Only debug builds, which tests run, have the means.
let faultHooks: [SwiftSetting] = [.define("TIDINGS_FAULT_HOOKS", .when(configuration: .debug))]

/// A target of this package, in a folder below `Sources`.
func target(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = settings) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: settings)
}

/// A C library of the system, with the inline functions that Swift cannot call for itself.
func system(_ name: String, linking library: String) -> Target {
    .target(name: name, path: "Sources/Drivers/C/\(name)", linkerSettings: [.linkedLibrary(library)])
}

/// Tests in a folder below `Tests`, which has the rooms of `Sources`.
func tests(_ name: String, in folder: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(folder)", exclude: exclude, swiftSettings: settings)
}

/// The log interface that every role writes to.
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "tidings",
    products: [
        .executable(name: "tidings", targets: ["tidings"]),
        .library(name: "TidingsClient", targets: ["TidingsClient"]),
        // For a provider of one's own, see CONTRIBUTING.
        .library(
            name: "TidingsProvider", targets: ["TidingsProvider", "TidingsHTTPProvider", "TidingsHTTP", "TidingsCore", "TidingsWire"]),
        // For one whose service takes many requests on one connection; needs libnghttp2 and libssl.
        .library(name: "TidingsHTTP2", targets: ["TidingsHTTP2"]),
        .library(name: "TidingsServer", targets: ["TidingsServer"]),
        .library(name: "TidingsTestSupport", targets: ["TidingsTestSupport"]),
    ],
    traits: [
        .trait(name: "APNs", description: "The push provider of Apple (needs libnghttp2 and libssl)."),
        .trait(name: "Airship", description: "The push provider Airship (needs libcurl)."),
        .trait(name: "Braze", description: "The push provider Braze (needs libcurl)."),
        .trait(name: "Capture", description: "tidings capture, the stand-in for every provider (needs libnghttp2 and libssl)."),
        .trait(name: "FCM", description: "The push provider Firebase Cloud Messaging (needs libcurl)."),
        .trait(name: "HTTP", description: "The provider for a JSON-over-HTTP service of one's own (needs libcurl)."),
        .trait(name: "WebPush", description: "Push to browsers, RFC 8030 (needs libcurl)."),
        .trait(name: "Webhook", description: "The webhook provider (needs libcurl)."),
        .default(enabledTraits: ["APNs", "Airship", "Braze", "Capture", "FCM", "HTTP", "WebPush", "Webhook"]),
    ],
    dependencies: [
        // The command line: subcommands, help, completion. About 25 s of a clean debug build on 2 cores.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The catalogue file: YAML 1.2 is not ours to parse. About 12 s.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // Signals, start and graceful shutdown of several roles in one process; brings swift-log. About 20 s.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // The log interface of the server ecosystem, which service-lifecycle brings anyway.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // The HTTP/1.1 server of /metrics, /health and tidings capture, without SwiftNIO. About 10 s.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        // Percentiles of tidings bench, exact over nine decades in fixed memory; brings swift-numerics. About 5 s.
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        system("CRabbitMQ", linking: "rabbitmq"),
        system("CLibpq", linking: "pq"),
        system("CCurl", linking: "curl"),
        system("CCrypto", linking: "crypto"),
        system("CNGHTTP2", linking: "nghttp2"),
        system("CTLS", linking: "ssl"),
        target("TidingsSocket", in: "Drivers/Socket"),

        target("TidingsCore", in: "Core"),
        target("TidingsAMQP", in: "Drivers/AMQP", ["CRabbitMQ", "TidingsSocket"], settings: driverSettings),
        target("TidingsPostgres", in: "Drivers/Postgres", ["CLibpq", "TidingsSocket"], settings: driverSettings),
        target("TidingsHTTP", in: "Drivers/HTTP", ["CCurl", "TidingsSocket"]),
        target("TidingsMetrics", in: "Formats/Metrics"),
        target("PrivateServers", in: "Apps/Dev"),

        target("TidingsHTTP2", in: "Drivers/HTTP2", ["CCrypto", "CNGHTTP2", "CTLS", "TidingsHTTP", "TidingsSocket"]),
        target(
            "TidingsWire", in: "TidingsWire", ["TidingsCore", "CCrypto", .product(name: "Yams", package: "Yams")],
            settings: settings + faultHooks),

        target("TidingsStore", in: "Store", ["TidingsCore", "TidingsWire", "TidingsPostgres", "TidingsAMQP"]),
        target("TidingsProvider", in: "Providers/Kit", ["TidingsCore", "TidingsWire"]),

        target(
            "TidingsRouter", in: "Pipeline/Intake",
            ["TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsMetrics", "TidingsPostgres", "TidingsStore", logging]),
        target(
            "TidingsDelivery", in: "Pipeline/Delivery",
            [
                "TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsMetrics", "TidingsPostgres", "TidingsStore", "TidingsProvider",
                logging,
            ]),
        target(
            "TidingsRelease", in: "Pipeline/Release",
            ["TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsMetrics", "TidingsPostgres", "TidingsStore", logging]),
        target("TidingsHTTPProvider", in: "Providers/HTTPKit", ["TidingsCore", "TidingsHTTP", "TidingsProvider"]),
        target(
            "ProviderAirship", in: "Providers/Airship",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target(
            "ProviderAPNs", in: "Providers/APNs",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsHTTP2", "TidingsProvider", "TidingsHTTPProvider"]),
        target(
            "ProviderBraze", in: "Providers/Braze", ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target(
            "ProviderFCM", in: "Providers/FCM", ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target(
            "ProviderHTTP", in: "Providers/JSONOverHTTP",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target("ProviderNull", in: "Providers/Null", ["TidingsCore", "TidingsProvider"]),
        target(
            "ProviderWebPush", in: "Providers/WebPush",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target(
            "ProviderWebhook", in: "Providers/Webhook",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider"]),
        target("TidingsClient", in: "Clients/Producer", ["TidingsCore", "TidingsWire", "TidingsAMQP"]),
        target(
            "TidingsCapture", in: "Apps/Capture",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP2", arguments, .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]),

        target(
            "TidingsServer", in: "Apps/Server",
            [
                "TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsMetrics", "TidingsPostgres", "TidingsStore", "TidingsProvider",
                "TidingsRouter", "TidingsDelivery", "TidingsRelease", "TidingsClient", "PrivateServers", arguments, logging,
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "tidings",
            dependencies: [
                "TidingsServer", "TidingsProvider", "ProviderNull", arguments,
                .target(name: "ProviderAPNs", condition: .when(traits: ["APNs"])),
                .target(name: "ProviderAirship", condition: .when(traits: ["Airship"])),
                .target(name: "ProviderBraze", condition: .when(traits: ["Braze"])),
                .target(name: "ProviderFCM", condition: .when(traits: ["FCM"])),
                .target(name: "ProviderHTTP", condition: .when(traits: ["HTTP"])),
                .target(name: "ProviderWebPush", condition: .when(traits: ["WebPush"])),
                .target(name: "ProviderWebhook", condition: .when(traits: ["Webhook"])),
                .target(name: "TidingsCapture", condition: .when(traits: ["Capture"])),
            ],
            path: "Sources/Apps/CLI",
            swiftSettings: settings),

        // Only tests use it: systems of their own on real servers, processes to kill.
        target(
            "TidingsTestSupport", in: "TestSupport",
            ["TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsHTTP2", "TidingsPostgres", "TidingsProvider", "TidingsStore"]),
        tests("TidingsSocketTests", in: "Drivers/Socket", ["TidingsSocket"]),
        tests("TidingsCoreTests", in: "Core", ["TidingsCore"]),
        tests("TidingsPostgresTests", in: "Drivers/Postgres", ["TidingsPostgres"]),
        tests("TidingsAMQPTests", in: "Drivers/AMQP", ["TidingsAMQP", "TidingsTestSupport", "PrivateServers"]),
        tests("TidingsHTTPTests", in: "Drivers/HTTP", ["TidingsHTTP"]),
        tests("TidingsHTTP2Tests", in: "Drivers/HTTP2", ["TidingsHTTP", "TidingsHTTP2", "TidingsSocket"]),
        tests(
            "ProviderAPNsTests", in: "Providers/APNs",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsHTTP2", "TidingsProvider", "TidingsHTTPProvider", "ProviderAPNs",
                "TidingsCapture",
            ]),
        tests(
            "ProviderWebPushTests", in: "Providers/WebPush",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider", "ProviderWebPush", "TidingsCapture",
            ]),
        tests(
            "ConformanceTests", in: "Providers/Conformance",
            [
                "TidingsCore", "TidingsWire", "TidingsProvider", "ProviderAPNs", "ProviderAirship", "ProviderBraze", "ProviderFCM",
                "ProviderHTTP", "ProviderWebPush", "ProviderWebhook", "TidingsTestSupport",
            ]),
        tests("TidingsMetricsTests", in: "Formats/Metrics", ["TidingsMetrics"]),
        tests("PrivateServersTests", in: "Apps/Dev", ["PrivateServers"]),
        tests("TidingsWireTests", in: "TidingsWireTests", ["TidingsCore", "TidingsWire"]),
        tests(
            "ProviderWebhookTests", in: "Providers/Webhook",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider", "ProviderWebhook", "ProviderNull",
                "TidingsCapture",
            ]),
        tests(
            "PushProviderTests", in: "Providers/Push",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider", "ProviderAirship", "ProviderBraze",
                "ProviderFCM", "ProviderHTTP", "TidingsCapture",
            ]),
        tests("TidingsServerTests", in: "Apps/Server", ["TidingsCore", "TidingsProvider", "TidingsServer", logging, arguments]),
        tests(
            "PipelineTests", in: "System/Pipeline",
            [
                "TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsPostgres", "TidingsClient", "TidingsMetrics", "TidingsStore",
                "TidingsProvider", "TidingsRouter", "TidingsDelivery", "TidingsRelease", "TidingsTestSupport", "tidings", logging,
            ]),
        tests(
            "FaultTests", in: "System/Faults",
            [
                "TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsPostgres", "TidingsStore", "TidingsClient", "TidingsTestSupport",
                "PrivateServers", "tidings",
            ]),
        tests(
            "FuzzTests", in: "System/Fuzz",
            [
                "TidingsCore", "TidingsWire", "TidingsAMQP", "TidingsPostgres", "TidingsHTTP", "TidingsProvider", "TidingsHTTPProvider",
                "ProviderWebhook", "CRabbitMQ", "CLibpq",
            ]),
        tests(
            "GoldenTests", in: "System/Golden",
            [
                "TidingsCore", "TidingsWire", "TidingsHTTP", "TidingsPostgres", "TidingsProvider", "TidingsStore", "TidingsRouter",
                "TidingsDelivery", "ProviderAPNs",
                "ProviderAirship", "ProviderBraze", "ProviderFCM", "ProviderHTTP", "ProviderWebPush", "ProviderWebhook",
            ], exclude: ["golden.csv"]),
        tests("TidyTests", in: "Tidy", []),
    ]
)
