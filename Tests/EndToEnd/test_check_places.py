"""`association check`: the paths of a site that the check requests and evaluates, by URL and by an app's entries."""

from pathlib import Path

import pytest

from support.authorities import SITE
from support.checking import NO, YES, check, steered
from support.keys import APPS, OTHER_APP, association
from support.sites import Site, Stream, always, by_path, over_tls, response
from support.trusted import BESIDE, A, D, R, Trusted, asked, redirect

FILE = response(association())


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Trusted:
    return Trusted.make(tmp_path_factory.mktemp("places"))


PLAIN = response(association())
SAME = response(b'{"webcredentials":{"apps":["' + '","'.join(APPS).encode() + b'"]}}')
OTHERS = response(association(OTHER_APP))


@pytest.mark.parametrize(
    ("places", "codes", "verdicts"),
    [
        pytest.param({"root": PLAIN}, {"path-only-root"}, (A, D, D), id="only root"),
        pytest.param({"well_known": PLAIN}, {"path-only-well-known"}, (A, A, D), id="only .well-known"),
        pytest.param({}, {"http-status-refused"}, (D, D, D), id="neither"),
        pytest.param({"well_known": PLAIN, "root": SAME}, set(), (A, A, D), id="the same in other words"),
        pytest.param({"well_known": PLAIN, "root": OTHERS}, {"path-contents-differ"}, (A, A, D), id="the two differ"),
        pytest.param(
            {"well_known": response(b"", 500, None), "root": PLAIN},
            {"http-status-server-error"},
            (A, R, D),
            id="an error beside the root",
        ),
        pytest.param(
            {"well_known": redirect(301, "/apple-app-site-association"), "root": PLAIN},
            {"http-redirect"},
            (A, D, D),
            id="a redirect to the root",
        ),
    ],
)
def test_each_reading_has_its_places(
    trusted: Trusted, tmp_path: Path, places: dict[str, bytes], codes: set[str], verdicts: tuple[str, str, str]
) -> None:
    with Site(over_tls(trusted.context, by_path(**places))) as site:
        report = check(tmp_path, *asked(trusted, site.port))
    assert (report.verdicts, report.codes - BESIDE) == (verdicts, codes)


def test_a_url_with_a_path_is_asked_for_as_it_is(trusted: Trusted, tmp_path: Path) -> None:
    def answer(stream: Stream, path: str) -> None:
        stream.sendall(FILE if path == "/a/v1/site?x=%20" else response(b"", 404, None))

    with Site(over_tls(trusted.context, answer)) as site:
        url = f"https://{SITE}:{site.port}/a/v1/site?x=%20"
        options = (*steered(site.port, SITE, site.port), "--trust", trusted.root)
        report = check(tmp_path, url, *options, verdict=NO)
    assert [fetch["url"] for fetch in report.document["fetches"]] == [url]
    assert report.document["fetches"][0]["status"] == 200
    # No device requests this path, regardless of the file.
    assert (report.verdicts, report.codes - BESIDE) == ((D, D, D), {"path-not-read"})
    assert report.document["services"] == {"webcredentials": {"apps": APPS}}


@pytest.mark.parametrize(
    ("path", "verdicts", "codes"),
    [
        pytest.param("/.well-known/apple-app-site-association", (A, A, D), set(), id=".well-known"),
        pytest.param("/apple-app-site-association", (A, D, D), {"path-only-root"}, id="root"),
        pytest.param("/.well-known/apple-app-site-association.json", (D, D, D), {"path-not-read"}, id="an extension"),
    ],
)
def test_a_url_is_judged_by_who_asks_for_it(
    trusted: Trusted, tmp_path: Path, path: str, verdicts: tuple[str, str, str], codes: set[str]
) -> None:
    with Site(over_tls(trusted.context, always(FILE))) as site:
        options = (*steered(site.port, SITE), "--trust", trusted.root)
        report = check(tmp_path, f"https://{SITE}{path}", *options)
    assert (report.verdicts, report.codes - BESIDE) == (verdicts, codes)


@pytest.mark.parametrize("service", ["webcredentials", "applinks", None])
@pytest.mark.parametrize("turn", [1, -1], ids=["in order", "the other way round"])
def test_the_entries_of_the_service_choose_the_port(
    trusted: Trusted, tmp_path: Path, service: str | None, turn: int
) -> None:
    entries = [f"applinks:{SITE}:9999", f"webcredentials:{SITE}"][::turn]
    with Site(over_tls(trusted.context, always(FILE))) as site:
        options = [*steered(site.port, SITE), *steered(site.port, SITE, 9999), "--trust", trusted.root]
        for entry in entries:
            options += ["--entitlement", entry]
        report = check(tmp_path, SITE, *options, *(("--service", service) if service else ()))
    hosts = {"webcredentials": {SITE}, "applinks": {f"{SITE}:9999"}, None: {SITE, f"{SITE}:9999"}}
    assert {fetch["url"].split("/")[2] for fetch in report.document["fetches"]} == hosts[service]
    # The file has no universal links.
    assert report.verdicts[0] == (A if service == "webcredentials" else D)


@pytest.mark.parametrize("other", [f"foo:{SITE}", f"applinks:https://{SITE}", ""])
def test_an_entry_that_is_dropped_is_no_harm_to_another(trusted: Trusted, tmp_path: Path, other: str) -> None:
    good = ("--entitlement", f"webcredentials:{SITE}", "--service", "webcredentials")
    with Site(over_tls(trusted.context, always(FILE))) as site:
        report = check(tmp_path, *asked(trusted, site.port, *good, "--entitlement", other), verdict=YES)
    (dropped,) = report.codes_of("entitlement") - BESIDE
    assert report.issue(dropped)["severity"] == "warning"
