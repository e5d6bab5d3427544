// swift-tools-version: 6.2
import PackageDescription

// A target imports only targets of lower lines, never its own line; CI builds with --explicit-target-dependency-import-check error.
//
//  11  tidings
//  10  TidingsDev  TidingsBench
//   9  TidingsCommands  TidingsAPI
//   8  TidingsServer
//   7  modules
//   6  TidingsPipeline  TidingsClient  TidingsCapture  TidingsModules
//      ProviderAPNs  ProviderAirship  ProviderBraze  ProviderFCM  ProviderJSONOverHTTP  ProviderWebPush  ProviderWebhook
//   5  TidingsStore  TidingsProvider  TidingsWeb
//   4  TidingsCatalogue  TidingsHTTP2Server
//   3  TidingsContracts  TidingsJSONSchema  TidingsJWT  TidingsHTTP2
//   2  TidingsJSON  TidingsCrypto  TidingsTimeZones  TidingsHTTP  TidingsTLS
//   1  TidingsInboxJS  TidingsCore  TidingsEncodings  TidingsMetrics  TidingsAMQP  TidingsPostgres  TidingsHTTPServer  PrivateServers
//   0  TidingsInbox  TidingsSocket  TidingsWaiting  CRabbitMQ  CLibpq  CCurl  CCrypto  CNGHTTP2  CTLS  CSpawn
//      CSchemaFiles  CPageFiles

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// Targets that hold C pointers: every unsafe expression in them is marked.
let driverSettings = settings + [.strictMemorySafety()]

/// Lets tests kill a process between any two steps of the data path. Only debug builds, which tests run, have the means.
let faultHooks: [SwiftSetting] = [.define("TIDINGS_FAULT_HOOKS", .when(configuration: .debug))]

/// A target of this package, in a folder below `Sources`.
func target(
    _ name: String, in folder: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil,
    settings: [SwiftSetting] = settings
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(folder)", exclude: exclude, resources: resources, swiftSettings: settings)
}

/// A provider: what every one is made of, and what it needs beside.
func provider(_ name: String, in folder: String, _ more: [Target.Dependency] = []) -> Target {
    let kit: [Target.Dependency] = ["TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsHTTP", "TidingsJSON", "TidingsProvider"]
    return target(name, in: folder, kit + more)
}

/// The modules. Each has the folder `Modules/<name>` in `Sources` and in `Tests`, and a line in `BuiltInModules.swift`.
let modules: [String] = ["Likes"]

/// A module, with the file of its tables: `likes.sql` for `Likes`. The file is small, unlike those of CSchemaFiles, so a list of bytes
/// costs no time.
func moduleTarget(_ name: String) -> Target {
    let kit: [Target.Dependency] = [
        "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsEncodings", "TidingsHTTPServer", "TidingsJSON", "TidingsModules",
        "TidingsPostgres", "TidingsStore", "TidingsWeb", .product(name: "HTTPTypes", package: "swift-http-types"),
    ]
    return target("Tidings" + name, in: "Modules/" + name, kit, resources: [.embedInCode(name.lowercased() + ".sql")])
}

/// The tests of a module. They need PostgreSQL and no broker.
func moduleTests(_ name: String) -> Target {
    let kit: [Target.Dependency] = [
        "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsJSON", "TidingsJSONSchema", "TidingsModules", "TidingsPostgres",
        "TidingsStore", "TidingsTestSupport", "TidingsTimeZones",
    ]
    return tests("Tidings" + name + "Tests", in: "Modules/" + name, kit + [.target(name: "Tidings" + name)])
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

/// Queues from which the first element is taken in constant time.
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")

let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "tidings",
    // Of TidingsInbox. The other targets run on Linux.
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .executable(name: "tidings", targets: ["tidings"]),
        .library(name: "TidingsClient", targets: ["TidingsClient"]),
        // The inbox for apps on Linux, macOS and iOS: needs Foundation and nothing else of this package.
        .library(name: "TidingsInbox", targets: ["TidingsInbox"]),
        // For a provider of one's own, see Providers.md.
        .library(
            name: "TidingsProvider", targets: ["TidingsProvider", "TidingsHTTP", "TidingsCore", "TidingsJSON", "TidingsEncodings"]),
        // For one whose service takes many requests on one connection; needs libnghttp2 and libssl.
        .library(name: "TidingsHTTP2", targets: ["TidingsHTTP2"]),
        // JSON Schema 2020-12 over a JSON parser that keeps numbers exact; needs nothing else of this package.
        .library(name: "TidingsJSONSchema", targets: ["TidingsJSONSchema", "TidingsJSON"]),
        // For a binary with a provider of one's own: the roles and the command line, and tidings dev.
        .library(name: "TidingsServer", targets: ["TidingsServer", "TidingsCommands"]),
        .library(name: "TidingsDev", targets: ["TidingsDev"]),
        .library(name: "TidingsTestSupport", targets: ["TidingsTestSupport"]),
    ],
    traits: [
        .trait(name: "APNs", description: "The push provider of Apple (needs libnghttp2 and libssl)."),
        .trait(name: "Airship", description: "The push provider Airship (needs libcurl)."),
        .trait(name: "Bench", description: "tidings bench."),
        .trait(name: "Braze", description: "The push provider Braze (needs libcurl)."),
        .trait(name: "Capture", description: "tidings capture, the stand-in for every provider (needs libnghttp2 and libssl)."),
        .trait(name: "Dev", description: "tidings dev, which starts private PostgreSQL and RabbitMQ servers."),
        .trait(name: "FCM", description: "The push provider Firebase Cloud Messaging (needs libcurl)."),
        .trait(name: "API", description: "The HTTP API: producers, inbox, event streams (needs libssl)."),
        .trait(name: "HTTP", description: "The provider for a JSON-over-HTTP service of one's own (needs libcurl)."),
        .trait(name: "WebPush", description: "Push to browsers, RFC 8030 (needs libcurl)."),
        .trait(name: "Webhook", description: "The webhook provider (needs libcurl)."),
        .default(enabledTraits: ["API", "APNs", "Airship", "Bench", "Braze", "Capture", "Dev", "FCM", "HTTP", "WebPush", "Webhook"]),
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
        // Queues that grow and shrink at both ends in constant time: only DequeModule is used. service-lifecycle brings the package anyway,
        // through swift-async-algorithms, and builds this module. No extra build.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The HTTP/1.1 server of the API, /metrics, /health and tidings capture: limits, streaming, back-pressure, graceful shutdown. Only
        // HummingbirdCore is used, without traits, so no TLS, HTTP/2 or configuration package is built. About 100 s on 2 busy cores, most of it SwiftNIO.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // The channels below the server, for its limits, and those of tidings bench; Hummingbird brings these anyway. No extra build.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
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
        // Links nothing: glibc has it.
        .target(name: "CSpawn", path: "Sources/Drivers/C/CSpawn"),
        // Files as parts of the binary, by #embed of C23. SwiftPM's .embedInCode writes lists of bytes in Swift, which took 60 s to compile, and
        // 120 s for a release.
        .target(name: "CSchemaFiles", path: "Sources/Drivers/C/CSchemaFiles"),
        .target(name: "CPageFiles", path: "Sources/Drivers/C/CPageFiles"),
        target("TidingsSocket", in: "Drivers/Socket", settings: driverSettings),
        // Shared by drivers of one line, none of which may import another.
        target("TidingsWaiting", in: "Drivers/Waiting"),

        target("TidingsCore", in: "Core"),
        target("TidingsEncodings", in: "Formats/Encodings"),
        target("TidingsMetrics", in: "Formats/Metrics"),
        target("TidingsAMQP", in: "Drivers/AMQP", ["CRabbitMQ", "TidingsSocket", "TidingsWaiting", deque], settings: driverSettings),
        target("TidingsPostgres", in: "Drivers/Postgres", ["CLibpq", "TidingsSocket", "TidingsWaiting"], settings: driverSettings),
        target(
            "TidingsHTTPServer", in: "Drivers/HTTPServer",
            [
                "TidingsWaiting", logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        target("PrivateServers", in: "Tools/Dev/Servers", ["CSpawn"]),

        target("TidingsJSON", in: "Formats/JSON", ["TidingsEncodings"]),
        target("TidingsCrypto", in: "Formats/Crypto", ["CCrypto"], settings: driverSettings),
        target("TidingsHTTP", in: "Drivers/HTTP", ["CCurl", "TidingsSocket"], settings: driverSettings),
        // Only the API links it: a binary without the API needs no libssl for its health.
        target("TidingsTLS", in: "Drivers/TLS", ["CCrypto", "CTLS", "TidingsHTTPServer"], settings: driverSettings),

        target("TidingsJSONSchema", in: "Formats/JSONSchema", ["TidingsEncodings", "TidingsJSON"]),
        target("TidingsJWT", in: "Formats/JWT", ["TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON"]),
        target(
            "TidingsHTTP2", in: "Drivers/HTTP2", ["CCrypto", "CNGHTTP2", "CTLS", "TidingsHTTP", "TidingsSocket", "TidingsWaiting"],
            settings: driverSettings),

        target("TidingsContracts", in: "Contracts", ["TidingsCore", "TidingsJSON"]),
        target("TidingsTimeZones", in: "Formats/TimeZones", ["TidingsCore", "TidingsEncodings"]),

        target(
            "TidingsCatalogue", in: "Catalogue",
            [
                "TidingsCore", "TidingsContracts", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsJSONSchema",
                .product(name: "Yams", package: "Yams"),
            ]),
        // Only capture and tests link it.
        target(
            "TidingsHTTP2Server", in: "Drivers/HTTP2Server", ["CTLS", "TidingsHTTP", "TidingsHTTP2", "TidingsSocket"],
            settings: driverSettings),

        target(
            "TidingsStore", in: "Store",
            [
                "CSchemaFiles", "TidingsCore", "TidingsCatalogue", "TidingsContracts", "TidingsCrypto", "TidingsEncodings", "TidingsJSON",
                "TidingsPostgres", "TidingsTimeZones",
            ],
            exclude: ["Schema/schema.dump.sql", "Schema/Baseline", "Schema/grants.sql"]),
        target(
            "TidingsProvider", in: "Providers/Kit", ["TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsHTTP", "TidingsJSON"]),
        // For each interface over HTTP, and for modules with operations. The router cannot import people, keys and inboxes.
        // Of TidingsHTTP it needs only the addresses of clients and proxies.
        target(
            "TidingsWeb", in: "Web",
            [
                "TidingsCore", "TidingsEncodings", "TidingsHTTP", "TidingsHTTPServer", "TidingsJSON",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        target(
            "TidingsPipeline", in: "Pipeline",
            [
                "TidingsAMQP", "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsCrypto", "TidingsEncodings",
                "TidingsJSON", "TidingsJSONSchema", "TidingsMetrics", "TidingsPostgres", "TidingsProvider", "TidingsStore",
                "TidingsTimeZones", "TidingsWaiting", deque, logging,
            ],
            settings: settings + faultHooks),
        // The form of a module. Neither the store nor the pipeline can import a module.
        target("TidingsModules", in: "Modules/Kit", ["TidingsCore", "TidingsJSON", "TidingsStore", "TidingsWeb"]),
        provider("ProviderAirship", in: "Providers/Airship"),
        provider("ProviderAPNs", in: "Providers/APNs", ["TidingsHTTP2"]),
        provider("ProviderBraze", in: "Providers/Braze"),
        provider("ProviderFCM", in: "Providers/FCM", ["TidingsWaiting"]),
        provider("ProviderJSONOverHTTP", in: "Providers/JSONOverHTTP"),
        provider("ProviderWebPush", in: "Providers/WebPush"),
        provider("ProviderWebhook", in: "Providers/Webhook"),
        target(
            "TidingsClient", in: "Clients/Producer",
            ["TidingsAMQP", "TidingsContracts", "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON"]),
        // Apps link it, so it needs no other target.
        target("TidingsInbox", in: "Clients/Inbox"),
        target(
            "TidingsCapture", in: "Tools/Capture",
            [
                "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsJSONSchema", "TidingsHTTP2Server",
                "TidingsHTTPServer", "TidingsWaiting", arguments, logging, .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        target(
            "TidingsServer", in: "Runtime",
            [
                "TidingsAMQP", "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsJSON", "TidingsMetrics",
                "TidingsHTTPServer", "TidingsJWT", "TidingsModules", "TidingsPipeline", "TidingsPostgres", "TidingsProvider",
                "TidingsStore", "TidingsTimeZones",
                "TidingsWaiting", logging, .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        target(
            "TidingsCommands", in: "Interfaces/Commands",
            [
                "TidingsAMQP", "TidingsCatalogue", "TidingsClient", "TidingsContracts", "TidingsCore", "TidingsEncodings", "TidingsHTTP",
                "TidingsJSON", "TidingsModules", "TidingsPipeline", "TidingsPostgres", "TidingsProvider", "TidingsServer", "TidingsStore",
                "TidingsTimeZones", arguments, logging,
            ]),
        // The client library for browsers. The API serves its files.
        target(
            "TidingsInboxJS", in: "Clients/InboxJS", ["CPageFiles"],
            exclude: ["README.md", "tidings-inbox.js", "tidings-inbox.d.ts", "demo.html", "demo.js", "demo.css", "icons.js"]),
        target(
            "TidingsAPI", in: "Interfaces/API",
            [
                "CPageFiles", "TidingsAMQP", "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsCrypto", "TidingsEncodings",
                "TidingsHTTP", "TidingsHTTPServer", "TidingsInboxJS", "TidingsJSON", "TidingsJWT", "TidingsMetrics", "TidingsModules",
                "TidingsPipeline", "TidingsPostgres", "TidingsProvider", "TidingsServer", "TidingsStore", "TidingsTLS",
                "TidingsTimeZones", "TidingsWaiting", "TidingsWeb", logging, .product(name: "HTTPTypes", package: "swift-http-types"),
            ], exclude: ["Pages/openapi.yaml"]),
        target(
            "TidingsDev", in: "Tools/Dev/Command",
            [
                "PrivateServers", "TidingsCatalogue", "TidingsCommands", "TidingsCore", "TidingsJSON", "TidingsServer", "TidingsStore",
                "TidingsTimeZones", arguments, logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        target(
            "TidingsBench", in: "Tools/Bench",
            [
                "PrivateServers", "TidingsAMQP", "TidingsCatalogue", "TidingsClient", "TidingsCommands", "TidingsContracts", "TidingsCore",
                "TidingsJSON", "TidingsPipeline", "TidingsServer", "TidingsStore", "TidingsWaiting", arguments, logging,
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "tidings",
            dependencies: [
                "TidingsCommands", "TidingsProvider", "TidingsServer", arguments,
                .target(name: "TidingsAPI", condition: .when(traits: ["API"])),
                .target(name: "ProviderAPNs", condition: .when(traits: ["APNs"])),
                .target(name: "ProviderAirship", condition: .when(traits: ["Airship"])),
                .target(name: "ProviderBraze", condition: .when(traits: ["Braze"])),
                .target(name: "ProviderFCM", condition: .when(traits: ["FCM"])),
                .target(name: "ProviderJSONOverHTTP", condition: .when(traits: ["HTTP"])),
                .target(name: "ProviderWebPush", condition: .when(traits: ["WebPush"])),
                .target(name: "ProviderWebhook", condition: .when(traits: ["Webhook"])),
                .target(name: "TidingsBench", condition: .when(traits: ["Bench"])),
                .target(name: "TidingsCapture", condition: .when(traits: ["Capture"])),
                .target(name: "TidingsDev", condition: .when(traits: ["Dev"])),
            ],
            path: "Sources/Main",
            swiftSettings: settings),

        // Only tests use it: systems of their own on real servers, processes to kill.
        target(
            "TidingsTestSupport", in: "TestSupport",
            [
                "PrivateServers", "TidingsCatalogue", "TidingsCore", "TidingsJSON", "TidingsJSONSchema", "TidingsHTTP",
                "TidingsHTTP2Server", "TidingsModules", "TidingsPostgres", "TidingsProvider", "TidingsServer", "TidingsStore",
                "TidingsWaiting",
            ]),
        tests("TidingsSocketTests", in: "Drivers/Socket", ["TidingsSocket"]),
        tests("TidingsWaitingTests", in: "Drivers/Waiting", ["TidingsWaiting"]),
        tests("TidingsCoreTests", in: "Core", ["TidingsCore", "TidingsTestSupport"]),
        tests(
            "TidingsPostgresTests", in: "Drivers/Postgres", ["PrivateServers", "TidingsPostgres", "TidingsTestSupport", "TidingsWaiting"]),
        tests("TidingsAMQPTests", in: "Drivers/AMQP", ["TidingsAMQP", "TidingsTestSupport", "PrivateServers"]),
        tests("TidingsHTTPTests", in: "Drivers/HTTP", ["TidingsHTTP", "TidingsTestSupport"]),
        tests(
            "TidingsHTTPServerTests", in: "Drivers/HTTPServer",
            [
                "TidingsHTTP", "TidingsHTTPServer", "TidingsTLS", "TidingsTestSupport", logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        tests(
            "TidingsHTTP2Tests", in: "Drivers/HTTP2",
            ["TidingsHTTP", "TidingsHTTP2", "TidingsHTTP2Server", "TidingsSocket", "TidingsTestSupport", "TidingsWaiting"]),
        tests(
            "ProviderAPNsTests", in: "Providers/APNs",
            [
                "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsHTTP", "TidingsHTTP2", "TidingsProvider",
                "ProviderAPNs", "TidingsCapture",
            ]),
        tests(
            "ProviderWebPushTests", in: "Providers/WebPush",
            [
                "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsHTTP", "TidingsProvider", "ProviderWebPush",
                "TidingsCapture", "TidingsTestSupport",
            ]),
        tests(
            "ConformanceTests", in: "Providers/Conformance",
            [
                "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsProvider", "ProviderAPNs",
                "ProviderAirship", "ProviderBraze", "ProviderFCM", "ProviderJSONOverHTTP", "ProviderWebPush", "ProviderWebhook",
                "TidingsTestSupport",
            ]),
        tests(
            "FormatsTests", in: "Formats",
            [
                "PrivateServers", "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsJSONSchema", "TidingsJWT",
                "TidingsMetrics", "TidingsTestSupport", "TidingsTimeZones",
            ],
            exclude: ["Crypto/Peer"]),
        tests(
            "TidingsContractsTests", in: "Contracts",
            ["TidingsCore", "TidingsContracts", "TidingsJSON", "TidingsJSONSchema", "TidingsTestSupport"]),
        tests(
            "TidingsCatalogueTests", in: "Catalogue",
            ["TidingsCore", "TidingsCatalogue", "TidingsJSON", "TidingsJSONSchema", "TidingsTestSupport"]),
        tests(
            "TidingsPipelineTests", in: "Pipeline",
            [
                "TidingsAMQP", "TidingsCore", "TidingsCatalogue", "TidingsContracts", "TidingsCrypto", "TidingsJSON", "TidingsJSONSchema",
                "TidingsMetrics", "TidingsPipeline", "TidingsPostgres", "TidingsProvider", "TidingsStore", "TidingsTestSupport", logging,
            ]),
        // Needs PostgreSQL and no broker.
        tests(
            "TidingsStoreTests", in: "Store",
            [
                "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsJSON", "TidingsJSONSchema", "TidingsPostgres",
                "TidingsStore", "TidingsTestSupport", "TidingsTimeZones",
            ]),
        // Needs PostgreSQL and no broker.
        tests(
            "TidingsModulesTests", in: "Modules/Kit",
            [
                "TidingsCatalogue", "TidingsContracts", "TidingsCore", "TidingsModules", "TidingsPostgres", "TidingsStore",
                "TidingsTestSupport", "TidingsTimeZones",
            ]),
        tests(
            "TidingsWebTests", in: "Web",
            ["TidingsHTTP", "TidingsHTTPServer", "TidingsJSON", "TidingsWeb", .product(name: "HTTPTypes", package: "swift-http-types")]),
        tests("PrivateServersTests", in: "Tools/Dev", ["PrivateServers", "TidingsTestSupport"]),
        tests(
            "TidingsInboxTests", in: "Clients/Inbox", ["TidingsInbox"],
            exclude: [
                "README.md", "cases.json", "document.mjs", "fakes.mjs", "page.mjs", "run-cases.mjs", "runner.mjs", "tabs.mjs",
            ]),
        tests(
            "ProviderWebhookTests", in: "Providers/Webhook",
            [
                "TidingsCore", "TidingsJSON", "TidingsHTTP", "TidingsProvider", "ProviderWebhook", "TidingsCapture", "TidingsTestSupport",
            ]),
        tests(
            "PushProviderTests", in: "Providers/Push",
            [
                "TidingsCore", "TidingsCrypto", "TidingsEncodings", "TidingsJSON", "TidingsHTTP", "TidingsProvider", "ProviderAirship",
                "ProviderBraze", "ProviderFCM", "ProviderJSONOverHTTP", "TidingsCapture", "TidingsTestSupport",
            ]),
        tests(
            "TidingsServerTests", in: "Runtime",
            [
                "TidingsAMQP", "TidingsCatalogue", "TidingsCommands", "TidingsContracts", "TidingsCore", "TidingsJSON", "TidingsModules",
                "TidingsPipeline", "TidingsPostgres", "TidingsProvider", "TidingsServer", "TidingsStore", "TidingsTestSupport", logging,
                arguments,
            ]),
        // Needs PostgreSQL and the broker.
        tests(
            "TidingsAPITests", in: "Interfaces/API",
            [
                "TidingsAPI", "TidingsContracts", "TidingsCore", "TidingsHTTP", "TidingsHTTPServer", "TidingsJSON", "TidingsJSONSchema",
                "TidingsJWT", "TidingsMetrics", "TidingsModules", "TidingsPipeline", "TidingsProvider", "TidingsServer",
                "TidingsStore", "TidingsTestSupport", "TidingsWeb", logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        tests(
            "SystemTests", in: "System/Pipeline",
            [
                "TidingsCore", "TidingsCatalogue", "TidingsContracts", "TidingsCrypto", "TidingsEncodings", "TidingsJSON",
                "TidingsTimeZones", "TidingsAMQP", "TidingsHTTP", "TidingsPostgres", "TidingsClient", "TidingsMetrics", "TidingsStore",
                "TidingsJSONSchema", "TidingsJWT", "TidingsModules", "TidingsPipeline", "TidingsServer", "TidingsTestSupport",
                "PrivateServers", "tidings", logging,
            ]),
        tests(
            "FaultTests", in: "System/Faults",
            [
                "TidingsCore", "TidingsContracts", "TidingsJSON", "TidingsAMQP", "TidingsPipeline", "TidingsPostgres", "TidingsStore",
                "TidingsClient",
                "TidingsTestSupport", "PrivateServers", "tidings",
            ]),
        tests(
            "FuzzTests", in: "System/Fuzz",
            [
                "TidingsCore", "TidingsCatalogue", "TidingsContracts", "TidingsEncodings", "TidingsJSON", "TidingsJSONSchema",
                "TidingsAMQP", "TidingsPipeline", "TidingsPostgres", "TidingsHTTP", "TidingsProvider", "TidingsTestSupport",
                "TidingsTimeZones", "ProviderAPNs", "ProviderFCM", "ProviderJSONOverHTTP", "ProviderWebPush", "ProviderWebhook",
                "CRabbitMQ", "CLibpq",
            ]),
        tests(
            "GoldenTests", in: "System/Golden",
            [
                "TidingsCore", "TidingsCatalogue", "TidingsContracts", "TidingsCrypto", "TidingsEncodings", "TidingsJSON",
                "TidingsHTTP", "TidingsProvider", "TidingsStore", "TidingsPipeline", "ProviderAPNs", "ProviderAirship",
                "ProviderBraze", "ProviderFCM", "ProviderJSONOverHTTP", "ProviderWebPush", "ProviderWebhook",
            ], exclude: ["golden.csv"]),
        tests("TidyTests", in: "Tidy", []),
    ]
)

package.targets += modules.map(moduleTarget)
package.targets += modules.map(moduleTests)
// The runtime lists the modules, and the tests with every role use them.
let linked: [Target.Dependency] = modules.map { .target(name: "Tidings" + $0) }
for user in package.targets where ["TidingsServer", "SystemTests"].contains(user.name) { user.dependencies += linked }
