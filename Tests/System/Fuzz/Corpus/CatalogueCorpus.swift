/// Small catalogue files, from which many variants are made, and files that once caused a failure.
enum CatalogueCorpus {
    static let files: [String] = [
        "types:\n  orderUpdate: {category: transactional, allowsCritical: true}\n  metadata: {category: system, silent: true, channels: [push]}\n",
        """
        types:
          invoice:
            category: transactional
            title: "Invoice {{number}}"
            body: '{{total}} due'
            icon: receipt
            color: "#ff0000"
            deepLink: app://invoice/{{number}}
            lane: urgent
            expiry: 1h30m
            mandatory: true
            channelsByMarket: {default: [push, inApp]}
            schema:
              type: object
              required: [number]
              properties:
                number: {type: string, minLength: 1, enum: [no, 012, 1_000, ~, null, 1.50]}
                total: {type: number}
              additionalProperties: false
        """,
        """
        types: {a: {category: system, silent: true}}
        categories:
          marketing:
            channels: [email, push]
            lane: bulk
            quietHours: hold
            unknownOutcome: stop
            retry: {attempts: 5, base: 500ms, cap: 1h}
            expiry: 3d
        """,
        """
        types: {a: {category: social}}
        markets:
          default: {push: [p], email: [mail, second]}
          north: {push: [p]}
        defaultMarket: north
        providers:
          p: {channel: push, kind: "null", addressing: person, copy: true}
          mail: {channel: email, kind: webhook, settings: {url: "https://example.com/{{x}}", secret: env:MAIL_SECRET}}
          second: {channel: email, kind: webhook, settings: {tokenFile: file:/run/token}}
        producers:
          shop: [default, shop]
          "guest@\\u00e9": [default]
          web: {tenants: [shop], sources: ["/shop", "/web/"]}
          relay: {vouches: true}
        """,
        """
        types: {a: {category: system, silent: true}}
        features:
          is_on: false
          interval_sec: 5
        """,
        "types: &t\n  a: &x {category: system, silent: true, schema: &s {properties: {b: *s2}}}\n  b: *x\n",
        "# only a comment\n", "--- !!map\ntypes: {a: {category: system}}\n...\n", "types: {a: {category: system, title: \"x\\0y\"}}\n",
        "types: {a: {category: system, title: \"x\\0y\", schema: {const: \"a\\0\"}}}\nproducers: {\"a\\0b\": [default]}\n",
        "types:\n  a:\n    category: system\n    schema:\n      properties:\n        ? \(String(repeating: "k", count: 1_100))\n        : true\n",
        "types: {a: {category: system}}\nproducers: {? \(String(repeating: "p", count: 1_100)) : [default]}\n",
        "types: {a: {category: system, title: |\n  two\n  lines\n }}\n",
        "types: {a: {category: system, title: \"\\x85\\L\\P\\uFEFF\\U0001F600\"}}\n",
    ]

    static let words: [String] =
        [
            "types", "categories", "markets", "providers", "producers", "defaultMarket", "category", "channels", "schema", "title", "body",
            "expiry", "features",
            "retry", "attempts", "settings", "kind", "channel", "push", "inApp", "system", "transactional", "urgent", "1h30m", "90d", "0s",
            "9223372036854775807us", "{{", "}}", "&a ", "*a", "<<: *a", "!!binary ", "!!null ", "? ", ": ", "- ", "---\n", "...\n", "|\n",
            ">-\n",
            "%YAML 1.2\n", "\t", "'", "\"\\x00\"", "\"\\u2028\"", "\n  ", "\r", "~", "env:", "file:/", "$ref", "pattern", "properties",
        ]

    /// Small files with an enormous meaning, valid or not.
    static let hostile: [String] = {
        let laughs = (1...40).map { level in
            "  l\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", "))]\n"
        }.joined()
        let bomb = "x:\n  l0: &l0 [a, b]\n" + laughs
        return [
            String(repeating: "[", count: 500_000), String(repeating: "{a: ", count: 200_000), String(repeating: "- ", count: 400_000),
            String(repeating: "? ", count: 300_000), bomb, bomb + "types: *l40\n", bomb + "types:\n  ? *l40\n  : 1\n",
            bomb + "types:\n  ? *l40\n  : 1\n  ? *l40\n  : 2\n", bomb + "types: {a: {category: system, schema: *l40}}\n",
            bomb + "types: {a: {category: system, channels: *l40}}\n",
            "types:\n" + (0..<500).map { "  t\($0): {category: system}\n" }.joined(),
            "types: {a: {category: system, schema: {pattern: \"" + String(repeating: "(a|b)?", count: 700) + "\"}}}\n",
            "types: {a: {category: system, schema: {allOf: [" + Array(repeating: "{pattern: \"x{4000}\"}", count: 2).joined(separator: ", ")
                + "]}}}\n",
            "types: {a: {category: system, title: \"" + String(repeating: "{{", count: 20_000) + "\"}}\n",
            "types: {a: {category: system, title: \"" + String(repeating: "{{a}}", count: 5_000) + "\"}}\n",
        ]
    }()
}
