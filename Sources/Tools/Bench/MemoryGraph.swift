import TidingsCommands
import TidingsServer

/// A memory trace as a picture (SVG 1.1): megabytes of each role on the left scale, waiting intents as an area on the right one.
struct MemoryGraph {
    let trace: MemoryTrace

    private static let (width, height) = (840.0, 340.0)
    private static let (left, right, top, bottom) = (60.0, 770.0, 40.0, 300.0)
    /// Colours that differ on white and on dark grounds, and for most people who see few colours.
    private static let colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]

    var svg: String {
        let seconds = max(1, trace.moments.last?.seconds ?? 1)
        let megabytes = Self.ceiling(trace.moments.flatMap(\.resident).map { Double($0) / 1_048_576 }.max() ?? 1)
        let waiting = Self.ceiling(Double(trace.moments.map(\.waiting).max() ?? 1))
        func x(_ moment: MemoryTrace.Moment) -> Double { Self.left + (Self.right - Self.left) * moment.seconds / seconds }
        func y(_ share: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * share }

        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="#ffffff"/>
            """
        ]
        let area = trace.moments.map { Self.point(x($0), y(Double($0.waiting) / waiting)) }.joined(separator: " ")
        parts.append(
            ##"<polygon fill="#dddddd" points="\##(Self.point(Self.left, Self.bottom)) \##(area) \##(Self.point(Self.right, Self.bottom))"/>"##
        )
        for (position, role) in trace.roles.enumerated() {
            let color = Self.colors[position % Self.colors.count]
            let line = trace.moments.map { Self.point(x($0), y(Double($0.resident[position]) / 1_048_576 / megabytes)) }
            parts.append(##"<polyline fill="none" stroke="\##(color)" stroke-width="1.5" points="\##(line.joined(separator: " "))"/>"##)
            parts.append(Self.text(role, at: Self.left + 90 * Double(position), 20, anchor: "start", color: color))
        }
        parts.append(Self.text("intents waiting", at: Self.right, 20, anchor: "end", color: "#777777"))
        for step in 0...4 {
            let share = Double(step) / 4
            parts.append(
                ##"<line x1="\##(Int(Self.left))" x2="\##(Int(Self.right))" y1="\##(y(share))" y2="\##(y(share))" stroke="#bbbbbb" stroke-width="0.5"/>"##
            )
            parts.append(Self.text("\(Self.short(megabytes * share)) MB", at: Self.left - 6, y(share) + 4, anchor: "end"))
            parts.append(Self.text(Self.short(waiting * share), at: Self.right + 6, y(share) + 4, anchor: "start", color: "#777777"))
            let time = Self.left + (Self.right - Self.left) * share
            parts.append(Self.text("\(Self.short(seconds * share)) s", at: time, Self.bottom + 20, anchor: "middle"))
        }
        return (parts + ["</svg>\n"]).joined(separator: "\n")
    }

    private static func text(_ text: String, at x: Double, _ y: Double, anchor: String, color: String = "#333333") -> String {
        ##"<text x="\##(Int(x))" y="\##(Int(y))" text-anchor="\##(anchor)" fill="\##(color)">\##(text)</text>"##
    }

    private static func point(_ x: Double, _ y: Double) -> String { "\((x * 10).rounded() / 10),\((y * 10).rounded() / 10)" }

    private static func short(_ value: Double) -> String { "\(Int(value.rounded()))" }

    /// The next larger number that divides well into four: 4, 8, 12, 20, 40, 80 …
    private static func ceiling(_ value: Double) -> Double {
        var scale = 1.0
        while true {
            for step in [4.0, 8.0, 12.0, 20.0] where step * scale >= value { return step * scale }
            scale *= 10
        }
    }
}
