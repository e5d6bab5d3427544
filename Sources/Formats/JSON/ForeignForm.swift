/// Forms that senders send in place of JSON text, known by their first bytes. An error names the form, so that the sender knows the cause.
enum ForeignForm {
    /// The first bytes of each form, with its name.
    private static let beginnings: [(bytes: [UInt8], name: String)] = [
        ([0x1F, 0x8B], "gzip"), (Array("H4sI".utf8), "gzip in Base64"), ([0x78, 0x01], "zlib"), ([0x78, 0x5E], "zlib"),
        ([0x78, 0x9C], "zlib"), ([0x78, 0xDA], "zlib"), ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard"), ([0x04, 0x22, 0x4D, 0x18], "LZ4"),
        (Array("BZh".utf8), "bzip2"),
    ]
    /// The length of the longest beginning.
    private static let longest = 4

    /// Returns the problem of a document that begins with these bytes. Nil if the form is not known.
    static func problem(_ bytes: UnsafeRawBufferPointer) -> String? {
        let start = bytes.prefix(longest)
        guard let form = beginnings.first(where: { start.starts(with: $0.bytes) }) else { return nil }
        return "the document looks like \(form.name): compressed content is not read, so send the JSON itself without a content encoding"
    }
}
