import CPageFiles
import HTTPTypes
import TidingsHTTPServer
import TidingsInboxJS
import TidingsServer
import TidingsWeb

/// Pages for everybody: the health of the process, the OpenAPI document, the client library for browsers, and the demo page of
/// `tidings dev`.
///
/// The metrics are not here: they are for the operator's network only.
struct PageOperations: Sendable {
    let health: HealthPages
    let hasDemo: Bool

    var all: [Operation] {
        let pages = [
            page("/openapi.yaml", "getOpenAPIDocument", "application/yaml", String(cString: tidings_page_openapi())),
            page("/inbox/v1/tidings-inbox.js", "getInboxModule", Self.script, InboxFiles.module),
            page("/inbox/v1/tidings-inbox.d.ts", "getInboxModuleTypes", "text/plain; charset=utf-8", InboxFiles.types),
        ]
        return [healthPage("/health/live", "getLiveness"), healthPage("/health/ready", "getReadiness")] + pages + demo
    }

    private static let script = "text/javascript; charset=utf-8"

    /// The document of the API has these operations, so a process without the page knows their paths too.
    private var demo: [Operation] {
        [
            page("/demo", "getDemoPage", "text/html; charset=utf-8", InboxFiles.demoPage, isHTML: true, isHere: hasDemo),
            page("/demo/demo.js", "getDemoScript", Self.script, InboxFiles.demoScript, isHere: hasDemo),
            page("/demo/icons.js", "getDemoIcons", Self.script, InboxFiles.icons, isHere: hasDemo),
            page("/demo/demo.css", "getDemoStyle", "text/css; charset=utf-8", InboxFiles.demoStyle, isHere: hasDemo),
        ]
    }

    private func healthPage(_ path: String, _ name: String) -> Operation {
        Operation(.get, path, name, .open) { call in
            guard let page = health.page(call.request.path) else { throw Problem(.notFound) }
            return page()
        }
    }

    private func page(
        _ path: String, _ name: String, _ type: String, _ content: String, isHTML: Bool = false, isHere: Bool = true
    ) -> Operation {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache"]
        if isHTML {
            headers[.contentSecurityPolicy] =
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            headers[.referrerPolicy] = "no-referrer"
        }
        let response = ServerResponse(.ok, headers: headers, body: .bytes(Array(content.utf8)))
        return Operation(.get, path, name, .open) { _ in
            guard isHere else { throw Problem(.notFound) }
            return response
        }
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name(known: "referrer-policy")
}
