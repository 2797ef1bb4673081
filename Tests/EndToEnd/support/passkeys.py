"""A bridge from the passkey requests of a page in Chromium to an authenticator outside the browser."""

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from support.browser import PAGE_LIMIT, next_page

# Replaces navigator.credentials. The page sees the same types as in a real ceremony (WebAuthn Level 3, section 5.1).
BRIDGE = """
{
  const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const decode = (text) => Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0)).buffer;
  const binary = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const request = ({ publicKey, mediation }) => new Promise((resolve) => {
    // A suggestion in the user name field waits for a choice, which the test never makes.
    if (mediation === "conditional") return;
    window.passkeyRequest = JSON.stringify(publicKey, (key, value) =>
      value instanceof Uint8Array ? encode(value) : value);
    window.answerPasskeyRequest = (credential) => {
      const response = { getTransports: () => credential.response.transports };
      for (const name of binary)
        if (credential.response[name]) response[name] = decode(credential.response[name]);
      resolve({ ...credential, response, getClientExtensionResults: () => credential.clientExtensionResults });
    };
  });
  Object.defineProperty(navigator, "credentials", { value: { create: request, get: request } });
}
"""


def connect(driver: Chrome) -> None:
    """Gives all pages that open from now on an authenticator that this module controls."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BRIDGE})


def request(driver: Chrome, action: str) -> str:
    """Clicks the button of a ceremony, and returns the `publicKey` document of the page's request."""
    driver.find_element(By.CSS_SELECTOR, f'[data-action="{action}"] button').click()
    found = WebDriverWait(driver, PAGE_LIMIT).until(lambda _: driver.execute_script("return window.passkeyRequest"))
    return str(found)


def answer(driver: Chrome, credential: object) -> None:
    """Gives the page the response of the authenticator, and waits for the next page."""
    with next_page(driver):
        driver.execute_script("window.answerPasskeyRequest(arguments[0])", credential)
