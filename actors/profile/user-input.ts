/** Sends the user's input on the live picture to the tab that it shows. */
import type { UserInput } from "../../protocol/handoff.ts";
import type { CdpSession } from "./cdp/session.ts";
import type { Tabs } from "./page/tabs.ts";

/** Sends the events in order; one that the page does not take in time is lost. */
export async function giveUserInput(tabs: Tabs, events: readonly UserInput[]): Promise<void> {
  const tab = await tabs.shown();
  if (tab === null) return;
  // A page that hangs answers none of them; the user sees that in the picture.
  for (const event of events) sendInput(tab.session, event).catch(() => {});
}

function sendInput(session: CdpSession, event: UserInput): Promise<unknown> {
  switch (event.kind) {
    case "mouse": {
      const { kind: _kind, count: clickCount, ...mouse } = event;
      return session.send("Input.dispatchMouseEvent", { ...mouse, clickCount });
    }
    case "wheel": {
      const { x, y, dx: deltaX, dy: deltaY, modifiers } = event;
      return session.send("Input.dispatchMouseEvent", {
        type: "mouseWheel",
        x,
        y,
        deltaX,
        deltaY,
        modifiers,
      });
    }
    case "key":
      return session.send("Input.dispatchKeyEvent", keyEvent(event));
    case "text":
      return session.send("Input.insertText", { text: event.text });
  }
}

/** Control, Alt and Meta make no text. */
const noText = 1 | 2 | 4;

function keyEvent({ down, key, code, keyCode, modifiers }: Extract<UserInput, { kind: "key" }>) {
  const sign = key === "Enter" ? "\r" : key;
  const text = down && [...sign].length === 1 && (modifiers & noText) === 0 ? { text: sign } : {};
  const type = !down ? "keyUp" : "text" in text ? "keyDown" : "rawKeyDown";
  return { type, key, code, windowsVirtualKeyCode: keyCode, modifiers, ...text } as const;
}
