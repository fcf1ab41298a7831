// A button that copies a text, and says so.
import { h, say } from "../dom.js";
import { t } from "../i18n/index.js";

/** Makes the button; the text is asked for when it is pressed. */
export function copyButton(text: () => string, label: string, kind = "quiet"): HTMLButtonElement {
  const button = h("button", { type: "button", class: kind, onclick: async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      done = byHand(text());
    }
    button.textContent = done ? t("copied") : t("copy.failed");
    say(button.textContent);
    setTimeout(() => (button.textContent = label), 2000);
  } }, label);
  return button;
}

// Where the clipboard is refused, as on an address without TLS.
function byHand(text: string): boolean {
  const area = h("textarea", { class: "unseen", readOnly: true, value: text });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
