extension String {
    /// The text of an optional member. Nil if the text is empty: at every door, an empty optional text means that the member is absent.
    ///
    /// The doors are the event of an intent (over AMQP, over HTTP and from SQL), the bodies of the API, the options of the command line that
    /// these bodies have as members, and the catalogue. A required text that is empty is refused. So is an empty time, and an empty text that
    /// says whose or which: `tenant`, `source`, an id, a token, the URL of a webhook. Without it, Tidings would send to other people, or at
    /// another time, than the producer meant.
    public var ifPresent: String? { isEmpty ? nil : self }
}
