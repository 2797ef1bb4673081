"""Accessibility problems that axe finds on a page, and whether the page fits on the screen."""

from selenium.webdriver import Chrome
from selenium_axe_python import Axe

# The impact values of axe for problems that prevent people from using a page.
SEVERE = ("serious", "critical")


def faults(driver: Chrome, name: str) -> list[str]:
    # A long page takes axe half a minute on a busy machine.
    driver.set_script_timeout(90)
    axe = Axe(driver)
    axe.inject()
    results = axe.run()
    assert results["passes"], "axe tested nothing"
    found = [
        f"{name}: {one['id']} ({one['impact']}): {one['help']}: {node['html']}"
        for one in results["violations"]
        if one["impact"] in SEVERE
        for node in one["nodes"]
    ]
    width = driver.execute_script("return document.documentElement.scrollWidth")
    shown = driver.execute_script("return window.innerWidth")
    if width > shown:
        found.append(f"{name}: {width} pixels wide on a screen of {shown}")
    return found
