#if canImport(Darwin)
extension PortOwner {
    /// Finds the program that listens on a port by running lsof(8). Untested: no Mac was available.
    static func find(port: UInt16) -> PortOwner? {
        let query = ["-nP", "-iTCP:\(port)", "-sTCP:LISTEN", "-Fpcu"]
        guard let output = try? SystemTool.find("lsof")?.run(query).output else { return nil }
        var owner = PortOwner()
        // Each line is one field. Its first letter identifies the field.
        for line in output.split(separator: "\n") {
            let value = String(line.dropFirst())
            switch line.first {
            case "p": owner.process = Int(value)
            case "c": owner.name = value
            case "u": owner.user = Int(value)
            case _: break
            }
        }
        return owner.process == nil ? nil : owner
    }
}
#endif
