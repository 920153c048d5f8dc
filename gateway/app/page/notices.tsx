/** Messages of success and failure at the foot of the page; screen readers read them out. */
import { useEffect, useState } from "preact/hooks";

interface Notice {
  id: number;
  kind: "done" | "failed";
  text: string;
}

const shownMs = { done: 4_000, failed: 15_000 };
let notices: Notice[] = [];
let lastId = 0;
let changed = (): void => {};

function say(kind: Notice["kind"], text: string): void {
  lastId += 1;
  const notice = { id: lastId, kind, text };
  notices = [...notices.slice(-3), notice];
  changed();
  setTimeout(() => dismiss(notice.id), shownMs[kind]);
}

function dismiss(id: number): void {
  notices = notices.filter((notice) => notice.id !== id);
  changed();
}

/** Shows what was done. */
export function report(text: string): void {
  say("done", text);
}

/** Forms whose action goes on. A button may be another one by the time that its action has ended. */
const acting = new WeakSet<EventTarget>();
/** Which click in a row the present one is: 2 for the second of a double click. */
let clicks = 1;
addEventListener(
  "click",
  ({ detail }) => {
    clicks = detail;
  },
  true,
);

/** The button or form of the present event; null for others, such as a key in a list, and for switches. */
function actor(): EventTarget | null {
  const target = window.event?.currentTarget ?? null;
  const isButton = target instanceof HTMLButtonElement && target.getAttribute("role") !== "switch";
  return isButton || target instanceof HTMLFormElement ? target : null;
}

/**
 * Calls `act`, then shows `done` or the error's message. Returns whether `act` succeeded. Ignores the second of a double click,
 * and a form that is sent while it is at work.
 */
export async function attempt(act: () => Promise<unknown>, done?: string): Promise<boolean> {
  const from = actor();
  if (from !== null) {
    if (clicks > 1 || acting.has(from)) return false;
    if (from instanceof HTMLFormElement) acting.add(from);
  }
  try {
    await act();
    if (done !== undefined) say("done", done);
    return true;
  } catch (error) {
    say("failed", error instanceof Error ? error.message : String(error));
    return false;
  } finally {
    if (from !== null) acting.delete(from);
  }
}

export function Notices() {
  const [, redraw] = useState(0);
  useEffect(() => {
    changed = () => redraw((count) => count + 1);
  }, []);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
