{
  const decode = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  const encode = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");

  // Older browsers do not convert JSON themselves.
  const request = (options) => {
    const descriptors = (list) => list?.map((item) => ({ ...item, id: decode(item.id) }));
    const request = { ...options, challenge: decode(options.challenge) };
    if (options.user) request.user = { ...options.user, id: decode(options.user.id) };
    if (options.excludeCredentials) request.excludeCredentials = descriptors(options.excludeCredentials);
    if (options.allowCredentials) request.allowCredentials = descriptors(options.allowCredentials);
    return request;
  };
  const response = (credential) => {
    const { id, type, response } = credential;
    const fields = { clientDataJSON: encode(response.clientDataJSON) };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"])
      if (response[name]) fields[name] = encode(response[name]);
    if (response.getTransports) fields.transports = response.getTransports();
    return { id, rawId: id, type, response: fields, clientExtensionResults: credential.getClientExtensionResults() };
  };

  const explain = (error, rpID) => {
    switch (error.name) {
      case "NotAllowedError":
        return "No passkey was used: you declined, or the time ran out. Try again, or use your password.";
      case "InvalidStateError":
        return "This device already has a passkey for your account. Use it, or choose another device.";
      case "SecurityError":
        return `This page must not use passkeys of "${rpID}". Open the site under that name.`;
      case "AbortError":
        return "The request for a passkey was canceled. Try again.";
      default:
        return error.message;
    }
  };

  // The request for suggestions in the user name field, which the next request replaces.
  let suggesting;

  const perform = async (element, settings = {}) => {
    const { action, options, token } = element.dataset;
    const { mediation, signal, isSilent } = settings;
    const fields = { form_token: token };
    if (isSilent) fields.mediation = mediation;
    const reply = await fetch(options, { method: "POST", body: new URLSearchParams(fields) });
    // Before its call, the server sends errors as text. A proxy may send a page.
    if (reply.headers.get("Content-Type")?.startsWith("text/plain")) throw new Error(await reply.text());
    const json = await reply.json().catch(() => null);
    if (!json?.publicKey) throw new Error(json?.error ?? "The server did not respond as expected. Try again later.");
    const publicKey = request(json.publicKey);
    element.dataset.rp = publicKey.rpId ?? publicKey.rp.id;
    settings.started?.(publicKey.timeout);
    const credential = await navigator.credentials[publicKey.user ? "create" : "get"]({ publicKey, mediation, signal });
    fields.credential = JSON.stringify(response(credential));
    fields.name = element.querySelector("input")?.value ?? "";
    if (isSilent) return fetch(action, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
    const form = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
    for (const [name, value] of Object.entries(fields))
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    document.body.append(form);
    form.submit();
  };

  const suggest = async (element) => {
    while (true) {
      const controller = new AbortController();
      suggesting = controller;
      // The challenge must not expire before the user chooses a passkey.
      const renew = (timeout) => setTimeout(() => controller.abort("renew"), Math.min(240_000, timeout * 0.8));
      let timer;
      try {
        const started = (timeout) => (timer = renew(timeout));
        return await perform(element, { mediation: "conditional", signal: controller.signal, started });
      } catch {
        if (controller.signal.reason != "renew") return;
      } finally {
        clearTimeout(timer);
      }
    }
  };

  const ready = window.PublicKeyCredential;
  for (const element of ready ? document.querySelectorAll("[data-options]") : []) {
    const message = element.querySelector(".error");
    const button = element.querySelector("button");
    const { suggests, offers } = element.dataset;
    const start = async () => {
      if (suggests && (await ready.isConditionalMediationAvailable?.())) suggest(element);
    };
    element.hidden = Boolean(offers);
    button.onclick = async () => {
      suggesting?.abort("replaced");
      message.hidden = button.disabled = true;
      try {
        await perform(element);
      } catch (error) {
        message.setAttribute("role", "alert");
        message.textContent = explain(error, element.dataset.rp);
        message.hidden = button.disabled = false;
        start();
      }
    };
    start();
    // Offer a passkey once per tab, without a prompt. The password manager decides.
    const offer = async () => {
      const capabilities = await ready.getClientCapabilities?.();
      if (capabilities?.conditionalCreate) await perform(element, { mediation: "conditional", isSilent: true });
    };
    if (offers && !sessionStorage.passkeyOffered) {
      sessionStorage.passkeyOffered = true;
      offer().catch(() => {});
    }
  }

  for (const { dataset } of document.querySelectorAll("[data-signal]")) {
    const rpId = dataset.rp;
    if (dataset.signal == "unknown")
      ready?.signalUnknownCredential?.({ rpId, credentialId: dataset.id }).catch(() => {});
    else {
      const allAcceptedCredentialIds = dataset.ids.split(" ").filter(Boolean);
      ready
        ?.signalAllAcceptedCredentials?.({ rpId, userId: dataset.user, allAcceptedCredentialIds })
        .catch(() => {});
    }
  }
}
