"""Links to checks, the JSON of a check, examples, chosen files, and the layout of a result."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from support.browser import next_page, see_as, submit
from support.keys import APPS, association, identity, signed
from support.page import Page
from support.people import Client, Visitor
from support.server import ROOT, Server, run

LONG = json.dumps({"webcredentials": {"apps": [f"TEAM.com.example.app{number}" for number in range(60)]}})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("site"), "--allow-fetch", "any", public=ROOT / "Public")
    yield running
    running.stop()


def query(site: Server) -> dict[str, str]:
    host = f"localhost:{site.port}"
    return {"site": host, "app": APPS[0], "entitlement": f"webcredentials:{host}?mode=developer"}


def test_a_link_opens_with_its_result_and_with_its_fields(driver: Chrome, site: Server) -> None:
    fields = query(site)
    driver.get(f"{site.origin}/check?{urlencode(fields)}")
    assert driver.find_element(By.CSS_SELECTOR, ".banner.associated").text.startswith("Associated")
    for name, value in fields.items():
        assert driver.find_element(By.ID, name).get_attribute("value") == value
    assert driver.title.startswith("Associated: ")
    with next_page(driver):
        driver.find_element(By.LINK_TEXT, "Link to this check").click()
    assert driver.find_elements(By.CSS_SELECTOR, ".banner.associated")


def test_a_link_needs_the_option_to_fetch_a_site(start: Callable[..., Server]) -> None:
    server = start()
    with Client(server) as client:
        assert client.send("GET", "/check?site=example.com").status == 403
        assert client.send("GET", "/api/check?site=example.com").status == 403
        assert client.send("GET", "/check?app=" + APPS[0]).status == 200


@pytest.mark.parametrize("path", ["/check", "/api/check"])
def test_another_site_may_link_to_a_check_but_not_embed_one(site: Server, path: str) -> None:
    target = f"{path}?entitlement=webcredentials:example.com"
    with Client(site) as client:
        for destination, status in (("document", 200), ("image", 403), ("iframe", 403), ("empty", 403)):
            fields = ("Sec-Fetch-Site: cross-site", f"Sec-Fetch-Dest: {destination}")
            assert client.send("GET", target, *fields).status == status, destination
        assert client.send("GET", target, "Sec-Fetch-Site: cross-site").status == 403
        assert client.send("GET", target, "Sec-Fetch-Site: none").status == 200


def test_the_api_returns_the_json_of_the_command(site: Server, tmp_path: Path) -> None:
    fields = query(site)
    with Client(site) as client:
        answer = client.send("GET", f"/api/check?{urlencode(fields)}")
    assert answer.status == 200
    found = json.loads(answer.content)
    arguments = ("--app", fields["app"], "--entitlement", fields["entitlement"], "--trust", str(site.authority))
    command = json.loads(run(tmp_path, "association", "check", fields["site"], *arguments, "--json").out)
    for report in (found, command):
        for fetch in report["fetches"]:
            fetch.pop("milliseconds")
    assert found == command


def test_examples_show_their_result_without_scripts(driver: Chrome, site: Server) -> None:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{site.origin}/check")
    names = [one.text for one in driver.find_elements(By.CSS_SELECTOR, "aside .list a")]
    verdicts = []
    for name in names:
        driver.get(f"{site.origin}/check")
        with next_page(driver):
            driver.find_element(By.LINK_TEXT, name).click()
        verdicts += [one.text.partition("\n")[0] for one in driver.find_elements(By.CSS_SELECTOR, ".banner")]
    assert verdicts == ["Associated", "Denied", f"{APPS[0]} opens https://example.com/buy/42", "Dropped by devices"]


def test_a_chosen_file_fills_in_the_form_and_a_signed_one_is_checked(
    driver: Chrome, site: Server, tmp_path: Path
) -> None:
    driver.get(f"{site.origin}/check")
    plain, binary = tmp_path / "plain", tmp_path / "signed"
    plain.write_bytes(association())
    binary.write_bytes(signed(association(), *identity(tmp_path, "example.com")))
    text = driver.find_element(By.ID, "file")
    for file, start in ((plain, "{"), (binary, "data:")):
        driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
        driver.execute_async_script(
            "const [text, start, done] = arguments;"
            "const look = () => text.value.startsWith(start) ? done() : requestAnimationFrame(look); look()",
            text,
            start,
        )
    submit(driver, "/check")
    codes = [one.text for one in driver.find_elements(By.CSS_SELECTOR, ".issues a code")]
    assert "signer-self-signed" in codes
    assert "file-pem" not in codes


def test_a_dropped_file_fills_in_the_form(driver: Chrome, site: Server) -> None:
    driver.get(f"{site.origin}/check")
    dropped = driver.execute_async_script(
        "const done = arguments[0], text = document.getElementById('file'), data = new DataTransfer();"
        "data.items.add(new File(['{\"dropped\": 1}'], 'x'));"
        "text.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));"
        "const look = () => text.value ? done(text.value) : requestAnimationFrame(look); look()"
    )
    assert dropped == '{"dropped": 1}'


def test_the_conclusion_is_on_the_first_screen_and_the_form_after_it(driver: Chrome, site: Server) -> None:
    see_as(driver, (390, 844))
    driver.get(f"{site.origin}/check?{urlencode(query(site))}")
    boxes = (
        "return ['.banner', '.result', '.result + div'].map(one => document.querySelector(one).getBoundingClientRect())"
    )
    banner, result, form = driver.execute_script(boxes)
    assert banner["bottom"] < 844 / 2
    assert form["top"] >= result["bottom"]
    see_as(driver, (1280, 800))
    banner, result, form = driver.execute_script(boxes)
    assert banner["bottom"] < 800 / 2
    assert form["left"] >= result["right"]


def test_long_lists_are_folded(site: Server) -> None:
    with Visitor(site) as visitor:
        page = Page.of(visitor.post("/check", {"file": LONG}).content)
    (result,) = [one for one in page.all("section") if one.get("class") == "result"]
    closed = [one for one in result.all("details") if one.get("open") is None]
    assert [one.all("summary")[0].text for one in closed] == [
        "Show 59 more with this code",
        "Apps in the file (not associated)",
    ]
    assert len(result.all("pre")) == 1


def test_codes_are_searched_without_scripts(driver: Chrome, site: Server) -> None:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{site.origin}/check/codes")
    every = len(driver.find_elements(By.CSS_SELECTOR, ".card summary code"))
    driver.find_element(By.ID, "q").send_keys("Trailing COMMA")
    with next_page(driver):
        driver.find_element(By.CSS_SELECTOR, "[role=search] button").click()
    found = [one.text for one in driver.find_elements(By.CSS_SELECTOR, ".card summary code")]
    assert "json-trailing-comma" in found
    assert 0 < len(found) < every / 10
    assert driver.find_element(By.ID, "q").get_attribute("value") == "Trailing COMMA"
    driver.get(f"{site.origin}/check/codes?q=" + quote("<b>nothing</b>"))
    assert driver.find_elements(By.CSS_SELECTOR, ".card") == []
    assert driver.find_element(By.CSS_SELECTOR, "[role=status]").text.startswith("No codes match")
