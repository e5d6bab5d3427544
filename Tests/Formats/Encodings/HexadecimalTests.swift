import Testing
import TidingsEncodings

@Suite struct HexadecimalTests {
    @Test(arguments: ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"])
    func aUUIDHasDigitsOfEitherCase(_ text: String) { #expect(Hexadecimal.isUUID(text)) }

    @Test(arguments: [
        "", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6bf60",
        "f81d4fae-7dec-11d0-a7650-0a0c91e6bf6", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bfé",
    ])
    func anotherTextIsNoUUID(_ text: String) { #expect(!Hexadecimal.isUUID(text)) }
}
