"""Finds accessibility problems with axe, and checks whether a page fits on the screen."""

from selenium.webdriver import Chrome
from selenium_axe_python import Axe

from support.browser import see_as

# axe's impact values for problems that prevent people from using a page.
SEVERE = ("serious", "critical")
CONTRAST = {"runOnly": ["color-contrast"]}


def widths(driver: Chrome, name: str, *sizes: tuple[int, int]) -> list[str]:
    """Returns a message for each screen that is too narrow for the page. By default, checks the current screen."""
    found = []
    for size in sizes or (None,):
        see_as(driver, size)
        width, shown = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        screen = size[0] if size else shown
        if width > screen:
            found.append(f"{name}: {width} pixels wide on a screen of {screen}")
    return found


def faults(driver: Chrome, name: str, *sizes: tuple[int, int]) -> list[str]:
    """Returns the problems of the current page on screens of these sizes, by default on the current screen.

    Runs axe on the last size. In the dark scheme, axe checks only the contrast, because only colors differ.
    """
    found = widths(driver, name, *sizes)
    # On a busy machine, axe needs half a minute for a long page.
    driver.set_script_timeout(90)
    axe = Axe(driver)
    axe.inject()
    for scheme, options in (("light", {}), ("dark", CONTRAST)):
        see_as(driver, scheme=scheme)
        results = axe.run(options={"resultTypes": ["violations"], **options})
        assert results["passes"], "axe tested nothing"
        found += [
            f"{name} ({scheme}): {one['id']} ({one['impact']}): {one['help']}: {node['html']}"
            for one in results["violations"]
            if one["impact"] in SEVERE
            for node in one["nodes"]
        ]
    return found
