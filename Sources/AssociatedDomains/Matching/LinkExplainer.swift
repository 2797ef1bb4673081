/// Goes the way of a match again, and tells of each step.
struct LinkExplainer {
    private var run: LinkRun
    init(_ run: LinkRun) { self.run = run }
    mutating func explain(_ apps: Range<Int>) -> [UniversalLinks.Explanation] { [] }
}
