import ArgumentParser

// An option with the name of its value in the help, such as "--trust <file>".

extension Option where Value: ExpressibleByArgument {
    init(wrappedValue: Value, _ help: String, value: String) {
        self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value))
    }

    init(_ help: String, value: String) {
        self.init(help: ArgumentHelp(help, valueName: value))
    }
}

extension Option {
    init<Wrapped: ExpressibleByArgument>(_ help: String, value: String) where Value == Wrapped? {
        self.init(help: ArgumentHelp(help, valueName: value))
    }

    init<Element: ExpressibleByArgument>(wrappedValue: [Element], _ help: String, value: String)
    where Value == [Element] {
        self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value))
    }
}
