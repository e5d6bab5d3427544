extension Migration {
    /// A claim of a pack has an identity, so that a worker recognises its own claim after an answer that was lost.
    static let claims = Migration(
        number: 21, name: "claims", kind: .expand,
        sql: #"""
            alter table tidings.packs add column if not exists claim uuid;
            comment on column tidings.packs.claim is
                'Which try of a worker claimed the pack. The same try again, after an answer that was lost, gets the pack; another gets nothing.';
            """#)
}
