# An untested formula for Homebrew. Put it into a tap. Replace URL and SHA256 with the values for a release's source
# archive. Then run: brew install --build-from-source ./motivator.rb
class Motivator < Formula
  desc "Server and tools for Apple's associated domains and shared web credentials"
  homepage "URL"
  url "URL"
  sha256 "SHA256"
  license "MIT"

  depends_on "pkg-config" => :build
  depends_on xcode: ["26.0", :build]
  depends_on macos: :sequoia
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "zlib"

  def install
    libraries = ["openssl@3", "sqlite", "zlib"]
    ENV["PKG_CONFIG_PATH"] = libraries.map { |name| Formula[name].opt_lib/"pkgconfig" }.join(":")
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "motivator"
    bin.install ".build/release/motivator"
    pkgshare.install "Public" => "public"
    system "scripts/packaging/manual", bin/"motivator", buildpath/"man"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"motivator", "--generate-completion-script")
  end

  service do
    run [opt_bin/"motivator", "serve"]
    keep_alive true
    log_path var/"log/motivator.log"
    error_log_path var/"log/motivator.log"
  end

  test do
    (testpath/"site.json").write '{"webcredentials": {"apps": ["A1B2C3D4E5.com.example.App"]}}'
    system bin/"motivator", "association", "check", "site.json"
  end
end
