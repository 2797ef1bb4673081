import Testing

@testable import motivator

extension CommandTests {
    static let device: Set<String> = ["state", "system", "trust", "connect-to", "timeout", "assume-public", "json"]
    static let prompts: Set<String> = ["yes", "no", "choose"]
    static let launching: Set<String> = device.union(prompts).union(["app", "server", "domain"])
    private static let app = ["--app", "D3KQX62K1A.com.example.DemoApp"]
    private static let launch = app + ["--server", "example.com"]

    static let deviceLeaves = [
        Case(words: "device status", type: DeviceTools.Status.self, options: device),
        Case(
            words: "device autofill-offers", type: DeviceTools.AutoFillOffers.self, needed: ["https://example.com/"],
            options: device.union(["form"])),
        Case(
            words: "device fill", type: DeviceTools.Fill.self, needed: ["https://example.com/"],
            options: device.union(prompts).union(["form"])),
        Case(words: "device reset", type: DeviceTools.Reset.self, options: device),
        Case(
            words: "device install", type: DeviceTools.Install.self,
            options: device.union(["app", "entitlement", "entitlements", "version", "app-clip"])),
        Case(
            words: "device uninstall", type: DeviceTools.Uninstall.self, needed: app, options: device.union(["app"])),
        Case(words: "device associations", type: DeviceTools.Associations.self, options: device),
        Case(words: "device advance", type: DeviceTools.Advance.self, needed: ["3h"], options: device),
        Case(words: "device developer-mode", type: DeviceTools.DeveloperMode.self, needed: ["on"], options: device),
        Case(words: "device managed", type: DeviceTools.Managed.self, needed: ["on"], options: device),
        Case(words: "device autofill", type: DeviceTools.AutoFill.self, needed: ["off"], options: device),
        Case(
            words: "device save", type: DeviceTools.Save.self,
            needed: ["--domain", "example.com", "--account", "ray", "--delete"],
            options: device.union(prompts).union([
                "app", "domain", "account", "password-stdin", "delete", "data-manager",
            ])),
        Case(
            words: "device request", type: DeviceTools.Request.self, needed: app,
            options: device.union(prompts).union(["app", "domain", "account", "all-domains"])),
        Case(words: "device passwords", type: DeviceTools.Passwords.self, options: device),
        Case(
            words: "device open-url", type: DeviceTools.OpenURL.self, needed: ["https://example.com/"],
            options: device.union(["choose"])),
        Case(
            words: "device passkey create", type: DeviceTools.Passkey.Create.self,
            needed: ["--page", "https://example.com/", "--options", "options.json"],
            options: device.union(prompts).union(["app", "page", "options", "server", "token-stdin", "conditional"])),
        Case(
            words: "device passkey sign-in", type: DeviceTools.Passkey.SignIn.self,
            needed: ["--page", "https://example.com/", "--options", "options.json"],
            options: device.union(prompts).union(["app", "page", "options", "server", "immediate"])),
        Case(
            words: "device passkey list", type: DeviceTools.Passkey.List.self, options: device.union(["rp-id"])),
        Case(
            words: "device passkey delete", type: DeviceTools.Passkey.Delete.self, needed: ["AAAA"], options: device),
        Case(words: "device passkey sync", type: DeviceTools.Passkey.Sync.self, needed: ["on"], options: device),
        Case(words: "device answer", type: DeviceTools.Answer.self, options: device.union(prompts)),
        Case(
            words: "device run", type: DeviceTools.Run.self, needed: ["story.device"],
            options: device.union(["fresh", "format"])),
        Case(
            words: "device app log-in", type: DeviceTools.AppTools.LogIn.self, needed: launch,
            options: launching.union(["account", "password-stdin", "passkey"])),
        Case(
            words: "device app sign-up", type: DeviceTools.AppTools.SignUp.self,
            needed: launch + ["--account", "antoine"],
            options: launching.union(["account", "password-stdin", "passkey"])),
        Case(
            words: "device app update", type: DeviceTools.AppTools.Update.self, needed: launch,
            options: launching.union(["password-stdin"])),
        Case(
            words: "device app sign-out", type: DeviceTools.AppTools.SignOut.self, needed: launch,
            options: launching.subtracting(prompts)),
        Case(
            words: "device app delete-account", type: DeviceTools.AppTools.DeleteAccount.self, needed: launch,
            options: launching),
    ]

    static let deviceWrong: [[String]] =
        [
            ["no-such-command"], ["app", "no-such-command"], ["developer-mode", "maybe"], ["developer-mode", "On"],
            ["autofill", "yes"], ["autofill", "on", "off"], ["open-url"], ["run", "a", "b"],
            ["run", "a", "--format", "xml"], ["run", "a", "--json", "--format", "tap"], ["reset", "now"],
            ["passwords", "--system", "ios7"], ["passwords", "--timeout", "0"], ["passwords", "--timeout", "601"],
            ["save", "--domain", "example.com", "--account", "ray"],
            ["save", "--domain", "example.com", "--account", "ray", "--password-stdin", "--delete"],
            ["save", "--domain", "example.com", "--account", "ray", "--password-stdin", "--data-manager"],
            ["save"] + app + ["--domain", "example.com", "--account", "ray", "--delete", "--data-manager"],
            ["managed"], ["managed", "yes"],
            ["save", "--account", "ray", "--delete"], ["save", "--domain", "example.com", "--delete"],
            ["request"] + app + ["--yes", "--no"], ["request"] + app + ["--yes", "--choose", "ray"],
            ["request"] + app + ["--no", "--choose", "ray"], ["request"] + app + ["--choose"],
            ["app", "log-in"] + launch + ["--account", "ray"], ["app", "log-in"] + launch + ["--password-stdin"],
            ["app", "log-in"] + app, ["app", "update", "--server", "example.com"],
            ["app", "update"] + launch + ["--account", "ray"],
        ].map { ["device"] + $0 }
        + ["", "3", "h", "-1s", "+1h", "1.5h", "3H", "3w", "3h ", " 3h", "3 h", "1h30m", "\u{0663}h"].map {
            ["device", "advance", $0]
        }
        + ["99999999999999999999h", "9223372036854775808s", "106751991167301d"].map { ["device", "advance", $0] }

    static let deviceRight: [[String]] =
        [
            ["answer"], ["answer", "save=yes", "pick=ray"], ["answer", "--no", "save=never"],
            ["passwords", "--system", "ios8"], ["passwords", "--system", "ios9"], ["passwords", "--system", "current"],
            ["passwords", "--timeout", "600"],
            ["request"] + app + ["--choose", ""],
            ["app", "log-in"] + launch + ["--account", "ray", "--password-stdin"],
            ["run", "-"], ["run", "-", "--fresh", "--format", "junit"], ["run", "-", "--json", "--format", "text"],
            ["install"],
        ].map { ["device"] + $0 }
        + ["3h", "90s", "5d", "0s", "1m", "007h", "9223372036854775807s"].map { ["device", "advance", $0] }

    static let durations: [(text: String, seconds: Int64)] = [
        ("3h", 10_800), ("90s", 90), ("5d", 432_000), ("0s", 0), ("15m", 900), ("366d", 31_622_400), ("007h", 25_200),
        ("9223372036854775807s", .max), ("106751991167300d", 9_223_372_036_854_720_000),
    ]

    @Test("A duration is a number of seconds, minutes, hours or days", arguments: durations)
    func duration(_ text: String, _ seconds: Int64) {
        #expect(DurationArgument(argument: text)?.seconds == seconds)
    }
}
