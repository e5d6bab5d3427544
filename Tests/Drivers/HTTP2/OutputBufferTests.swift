import Testing

@testable import TidingsHTTP2

@Suite struct OutputBufferTests {
    /// A peer that reads as slowly as the test writes. The buffer is never empty, for a gigabyte in all.
    @Test func aBufferThatIsNeverEmptyStaysSmall() {
        let piece = [UInt8](repeating: 7, count: 16 << 10)
        var buffer = OutputBuffer()
        piece.withUnsafeBytes { buffer.append($0) }
        for _ in 0..<65_536 {
            piece.withUnsafeBytes { buffer.append($0) }
            buffer.remove(piece.count)
            if buffer.capacity > 16 * piece.count { break }
        }
        #expect(buffer.count == piece.count)
        #expect(buffer.capacity <= 16 * piece.count)
    }

    @Test func theBufferKeepsTheOrderOfItsBytes() {
        var buffer = OutputBuffer()
        var (written, read): (UInt8, UInt8) = (0, 0)
        for step in 1...200 {
            for _ in 0..<(step % 7 + 1) {
                [written].withUnsafeBytes { buffer.append($0) }
                written &+= 1
            }
            let count = min(buffer.count, step % 5 + 2)
            for byte in buffer.withUnsafeBytes({ Array($0.prefix(count)) }) {
                #expect(byte == read)
                read &+= 1
            }
            buffer.remove(count)
        }
        #expect(UInt8(truncatingIfNeeded: buffer.count) == written &- read)
    }
}
