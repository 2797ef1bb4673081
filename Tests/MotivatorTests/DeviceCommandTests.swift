import ArgumentParser
import MotivatorPlatform
import TestSupport
import Testing

@testable import motivator

/// The commands of a device without apps, whose pages need no network.
@Suite("Commands of motivator device") struct DeviceCommandTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// Runs a script on the device in the scratch folder.
    /// - Returns: the first expectation that is not met, or nil.
    private func unmet(
        by script: String, _ arguments: [String] = [], fresh: Bool = false
    ) async throws -> String? {
        let options = try DeviceOptions.parse(["--state", scratch.file("device.json")] + arguments)
        let steps = try DeviceScript(Array(script.utf8)).steps
        return try await options.withDevice(fresh: fresh) { device, prompter, save -> String? in
            for step in steps {
                prompter.policy = step.command.policy
                let context = DeviceContext(device: device, sites: options.sites, save: save) { _ in step.input }
                let result = await step.perform(in: context)
                if let unmet = step.unmet(by: result) { return unmet.problem }
            }
            return nil
        }
    }

    /// The forms that the scripts name: one to sign in, and one to change a password.
    private static let forms = [
        "SIGNIN": "<form><input name=u autocomplete=username><input name=p autocomplete=current-password></form>",
        "UPDATE": """
        <form><input name=u autocomplete=username><input name=o autocomplete=current-password>
        <input name=n autocomplete=new-password passwordrules="minlength: 4; maxlength: 4; allowed: [z]"></form>
        """,
    ]

    static let scripts: [(name: String, text: String)] = [
        (
            "passwords of the browser",
            """
            passwords
            => says No password is saved.
            save --domain app.test --account ray --password-stdin --yes
            | secret
            => says Saved.
            save --domain app.test:8443 --account ray --password-stdin --no
            | secret
            => 1
            => says Not saved.
            save --domain app.test:8443 --account vicki --password-stdin --yes
            | secret
            passwords
            => says "ray" at app.test
            => says "vicki" at app.test:8443
            => lacks "ray" at app.test:8443
            => lacks secret
            save --domain app.test --account ray --delete
            => 64
            => says cannot delete a password
            save --domain app.test --account ray --password-stdin --yes
            => 64
            => says contains no password
            save --domain https://app.test/ --account ray --password-stdin --yes
            | secret
            => 64
            => says --domain
            status
            => says Saved passwords: 2
            """
        ),
        (
            "answers to later prompts",
            """
            answer
            => 64
            answer save=yes pick=ray
            save --domain app.test --account ray --password-stdin
            | secret
            => says Saved.
            status
            => says Prepared answers: save=yes pick=ray
            answer save=ask update=no
            status
            => says Prepared answers: update=no pick=ray
            save --domain app.test --account ray --password-stdin
            | other
            => 1
            answer --no save=yes
            status
            => says save=yes update=no delete=no pick=no create-passkey=no use-passkey=no
            answer --yes
            status
            => says save=yes update=yes delete=yes pick=yes
            answer save=perhaps
            => 64
            status
            => says save=yes
            """
        ),
        (
            "switches",
            """
            status
            => says AutoFill: on
            => says Developer mode: off
            => says Managed: off
            => says Passkey sync: on
            => says Apps: none
            => says Prepared answers: none
            developer-mode on
            => says Developer mode is on.
            managed on
            => says The device is managed.
            autofill off
            => says AutoFill is off.
            passkey sync off
            => says The sync of new passkeys is off.
            status
            => says AutoFill: off
            => says Developer mode: on
            => says Managed: on
            => says Passkey sync: off
            save --domain app.test --account ray --password-stdin --yes
            | secret
            => 1
            managed off
            => says The device is not managed.
            developer-mode off
            autofill on
            passkey sync on
            status
            => says AutoFill: on
            => says Developer mode: off
            => says Managed: off
            => says Passkey sync: on
            advance 367d
            => 64
            advance 366d
            => says The device's time is
            """
        ),
        (
            "apps without an associated domain",
            """
            associations
            => says No installed app has an associated domain.
            install
            => 64
            install --app com.example.app
            => 64
            => says --app
            open-url https://app.test/
            => 1
            => says The browser opens https://app.test/.
            install --app D3KQX62K1A.com.example.App --entitlement nonsense
            => says Installed D3KQX62K1A.com.example.App: its sites approve 0 of 0 entries.
            => says Devices silently ignore an entry
            status
            => says Apps: D3KQX62K1A.com.example.App
            => says Associations: 0 of 0 approved
            request --app D3KQX62K1A.com.example.App --yes
            => -50
            request --app D3KQX62K1A.com.example.App --domain app.test --yes
            => -34018
            save --app D3KQX62K1A.com.example.App --domain app.test --account ray --password-stdin --yes
            | secret
            => -34018
            save --app D3KQX62K1A.com.example.App --domain app.test --account ray --password-stdin --data-manager
            | secret
            => 1004
            install --app D3KQX62K1A.com.example.App
            => says Reinstalled D3KQX62K1A.com.example.App
            => lacks silently
            uninstall --app D3KQX62K1A.com.example.App
            => says Removed D3KQX62K1A.com.example.App.
            uninstall --app D3KQX62K1A.com.example.App
            => 1
            status
            => says Apps: none
            """
        ),
        (
            "AutoFill on a page",
            """
            autofill-offers https://app.test/ --form SIGNIN
            => 1
            => says No offers.
            fill https://app.test/ --form SIGNIN --yes
            => 1
            save --domain app.test --account ray --password-stdin --yes
            | secret
            save --domain app.test --account vicki --password-stdin --yes
            | other-secret
            autofill-offers https://app.test/ --form SIGNIN
            => says "ray" at app.test
            => says "vicki" at app.test
            => lacks associated by
            autofill-offers https://app.test/ --form UPDATE
            => says "ray" at app.test
            => says A new password (rules: "minlength: 4; maxlength: 4; allowed: [z]")
            fill https://app.test/ --form UPDATE --choose vicki
            => says u (username): vicki
            => says o (current-password): the saved password
            => says n (new-password): zzzz
            passwords
            => lacks zzzz
            autofill-offers https://www.app.test/ --form SIGNIN
            => 1
            => says An item exists for app.test, which is another host.
            fill https://app.test/ --form SIGNIN --yes
            => says u (username): ray
            => says p (current-password): the saved password
            => lacks secret
            fill https://app.test/ --form SIGNIN --choose vicki
            => says u (username): vicki
            fill https://app.test/ --form SIGNIN --choose nobody
            => 1
            fill https://app.test/ --form SIGNIN --no
            => 1
            autofill-offers http://app.test/ --form SIGNIN
            => 64
            => says is not an https URL
            autofill off
            autofill-offers https://app.test/ --form SIGNIN
            => 1
            => says No offers, because AutoFill is off.
            fill https://app.test/ --form SIGNIN --yes
            => 77
            """
        ),
        (
            "passkeys of a page",
            """
            passkey list
            => says No passkey is saved.
            passkey create --page https://app.test --options - --no
            | CREATE-ada
            => 1001
            => says NotAllowedError
            passkey create --page https://app.test --options - --yes
            | CREATE-ada
            => says "type": "public-key"
            passkey create --page https://app.test --options - --yes
            | CREATE-bob
            passkey list
            => says "ada" at app.test
            => says "bob" at app.test
            passkey list --rp-id app.test
            => says "bob" at app.test
            passkey list --rp-id www.app.test
            => says No passkey is saved.
            status
            => says Passkeys: 2
            passkey sign-in --page https://app.test --options - --yes
            | {"challenge":"AAAA"}
            => says "userHandle": "adaA"
            passkey sign-in --page https://www.app.test --options - --yes --immediate
            | {"challenge":"AAAA"}
            => 1001
            passkey sign-in --page https://b\u{FC}cher.test --options - --yes --immediate
            | {"challenge":"AAAA"}
            => 1001
            passkey sign-in --page http://app.test --options - --yes
            | {"challenge":"AAAA"}
            => 64
            => says is not an https URL
            passkey sign-in --app D3KQX62K1A.com.example.App --options - --yes
            | {"challenge":"AAAA","rpId":"app.test"}
            => 1
            => says is not installed
            passkey delete AAAA
            => 1
            => says the device has no passkey
            status
            => says Passkeys: 2
            """
        ),
    ]

    @Test("Each command of a script prints its result, and ends with its exit code", arguments: scripts)
    func script(_ name: String, _ text: String) async throws {
        var text = text
        for (form, html) in Self.forms {
            let path = try scratch.write(html, to: "\(form).html")
            text = text.replacing("--form \(form)", with: "--form \(path)")
        }
        for user in ["ada", "bob"] {
            let options =
                #"{"rp":{"id":"app.test"},"user":{"id":"\#(user)A","name":"\#(user)"},"challenge":"AAAA","#
                + #""pubKeyCredParams":[]}"#
            text = text.replacing("CREATE-\(user)", with: options)
        }
        #expect(try await unmet(by: text) == nil, "\(name)")
    }

    @Test("The state of one command is that of the next, and a new device keeps only the system")
    func state() async throws {
        #expect(try await unmet(by: "status\n=> says System: ios9\nautofill off", ["--system", "ios9"]) == nil)
        #expect(try await unmet(by: "status\n=> says System: ios9\n=> says AutoFill: off") == nil)
        let error = await #expect(throws: ExplainedFailure.self) {
            _ = try await unmet(by: "status", ["--system", "ios8"])
        }
        #expect(error?.problem == "the device in \"\(scratch.file("device.json"))\" runs ios9")
        let ceremony = "passkey sign-in --page https://app.test --options -\n| {}\n=> 64\n=> says runs ios9"
        #expect(try await unmet(by: ceremony) == nil)
        #expect(try await unmet(by: "status\n=> says System: ios9\n=> says AutoFill: on", fresh: true) == nil)
        #expect(try await unmet(by: "status\n=> says System: current", ["--system", "current"], fresh: true) == nil)
        #expect(try await unmet(by: "status\n=> says System: current") == nil)
    }

    @Test("A new device replaces the saved one even if its commands change nothing")
    func replacement() async throws {
        #expect(try await unmet(by: "autofill off") == nil)
        #expect(try await unmet(by: "passwords", fresh: true) == nil)
        #expect(try await unmet(by: "status\n=> says AutoFill: on") == nil)
    }

    @Test("The changes before an error are saved")
    func error() async throws {
        let options = try DeviceOptions.parse(["--state", scratch.file("device.json")])
        let step = try #require(try DeviceScript(Array("autofill off".utf8)).steps.first)
        await #expect(throws: CancellationError.self) {
            try await options.withDevice { device, _, save in
                _ = await step.perform(
                    in: DeviceContext(device: device, sites: options.sites, save: save) { _ in "" })
                throw CancellationError()
            }
        }
        #expect(try await unmet(by: "status\n=> says AutoFill: off") == nil)
    }
}
