/** The verb wait-for-element: the first match of a selector in any frame, across navigations. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import { type Element, type Elements, release, wentAway } from "./elements.ts";
import type { Frame } from "./frames.ts";
import { findElement } from "./in-page.ts";
import type { Tab } from "./tab.ts";
import type { Work } from "./work.ts";

export const work: Work<"waitForElement"> = ({ onTab, elements }, { selector, timeout_ms: ms }) =>
  onTab(async (tab) => ({
    node_id: await waitForElement(tab, elements, selector, ms ?? limits.waitForElementDefaultMs),
  }));

const sliceMs = 250;

const lookMs = 1_000;

/** The node id of the first match, main document first; throws `conflict` after `timeoutMs` (0: checks once), `invalid` for bad CSS. */
async function waitForElement(
  tab: Tab,
  elements: Elements,
  selector: string,
  timeoutMs: number,
): Promise<number> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    await tab.frames.known();
    const frames = tab.frames.all();
    const found = await lookOnce(tab, frames, selector);
    const id = found === null ? null : await idOf(tab, elements, found);
    if (id !== null) return id;
    const left = until - Date.now();
    if (left <= 0) {
      throw new Fault("conflict", `nothing matched ${JSON.stringify(selector)} within ${timeoutMs} ms`);
    }
    // Between two documents there is no frame to wait in.
    if (frames.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await anyFound(frames.map((frame) => findIn(tab, frame, selector, Math.min(left, sliceMs))));
  }
}

/** A match: its frame, and a handle that the caller must release. */
export type Found = Pick<Element, "frame" | "objectId">;

/** The current first match, in the main document first; null when there is none. Throws `invalid` when it is not CSS. */
export function findNow(tab: Tab, selector: string): Promise<Found | null> {
  return lookOnce(tab, tab.frames.all(), selector);
}

/** The node id of a match, which is released; null when its document has gone. */
export async function idOf(tab: Tab, elements: Elements, { frame, objectId }: Found): Promise<number | null> {
  try {
    const { node } = await frame.session.send("DOM.describeNode", { objectId });
    return elements.idOf(tab, frame, node.backendNodeId);
  } catch (error) {
    if (!wentAway(error)) throw error;
    return null;
  } finally {
    release({ frame, objectId });
  }
}

async function lookOnce(tab: Tab, frames: Frame[], selector: string): Promise<Found | null> {
  const [main, ...others] = frames;
  if (main === undefined) return null;
  const first = await findIn(tab, main, selector, 0);
  if (first !== null) return first;
  const looks = others.map((frame) => within(findIn(tab, frame, selector, 0), lookMs));
  let found: Found | null = null;
  for (const look of await Promise.all(looks)) {
    if (!look?.value) continue;
    if (found === null) found = look.value;
    else release(look.value);
  }
  return found;
}

function anyFound(finds: Promise<Found | null>[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let open = finds.length;
    if (open === 0) resolve();
    for (const find of finds) {
      find.then((found) => {
        open -= 1;
        if (found !== null) release(found);
        if (found !== null || open === 0) resolve();
      }, reject);
    }
  });
}

async function findIn(tab: Tab, frame: Frame, selector: string, ms: number): Promise<Found | null> {
  const found = await callIn(tab, frame, findElement, selector, [selector, ms], false);
  return found?.objectId === undefined ? null : { frame, objectId: found.objectId };
}

/** Calls a function of `in-page*.ts` in a document; null when it has gone. Throws `invalid` when the function finds the selector to be no CSS. */
export async function callIn(
  tab: Tab,
  frame: Frame,
  functionDeclaration: string,
  selector: string | null,
  args: readonly unknown[],
  returnByValue: boolean,
): Promise<Protocol.Runtime.RemoteObject | null> {
  try {
    const executionContextId = await tab.frames.world(frame);
    const reply = await frame.session.send("Runtime.callFunctionOn", {
      functionDeclaration,
      executionContextId,
      arguments: args.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue,
    });
    if (reply.exceptionDetails === undefined) return reply.result;
    const words = reply.exceptionDetails.exception?.description ?? reply.exceptionDetails.text;
    throw new Fault(
      "invalid",
      `selector ${JSON.stringify(selector)} is not valid CSS: ${words.split("\n")[0]}`,
    );
  } catch (error) {
    if (!wentAway(error)) throw error;
    // The document has changed; the next round finds the new one.
    frame.world = null;
    return null;
  }
}
