/** The verb wait-for: elements, texts, the address and the load, until all that is asked holds at once. */
import { setTimeout } from "node:timers/promises";
import { Fault, quoting, type Worded, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { WaitForBody } from "../../../protocol/verbs/wait-for.ts";
import { within } from "../within.ts";
import { addressPattern } from "./address-pattern.ts";
import type { Elements } from "./elements.ts";
import { firstMatch, whatHolds } from "./in-page-wait.ts";
import type { Tab } from "./tab.ts";
import { callIn, idOf } from "./wait-for-element.ts";
import type { Work } from "./work.ts";

const conditions = ["selector", "text", "text_gone", "url", "load"] as const;
const pollMs = 100;
const lookMs = 1_000;

export const work: Work<"waitFor"> = async ({ onTab, tabs, elements }, input) => {
  if (input.state !== undefined && input.selector === undefined)
    throw new Fault("invalid", `state must come with a selector, got ${JSON.stringify(input.state)} alone`);
  if (conditions.every((name) => input[name] === undefined))
    throw new Fault("invalid", `at least one of ${conditions.join(", ")} is required`);
  const fits = input.url === undefined ? null : addressPattern(input.url);
  return onTab((tab) =>
    waitFor(tab, elements, input, async () => {
      if (fits === null) return null;
      const { targetId } = tab;
      const { targetInfo } = await tabs.root.send("Target.getTargetInfo", { targetId });
      return fits(targetInfo.url) ? null : targetInfo.url;
    }),
  );
};

/** Throws `conflict` that names what does not hold after `timeout_ms`; `invalid` for a selector that is not CSS. */
async function waitFor(
  tab: Tab,
  elements: Elements,
  input: WaitForBody,
  unfitAddress: () => Promise<string | null>,
): Promise<{ node_id?: number }> {
  const { timeout_ms: timeoutMs = limits.waitForElementDefaultMs, selector, state = "visible" } = input;
  const until = Date.now() + timeoutMs;
  for (;;) {
    const begunAt = Date.now();
    const last = begunAt >= until;
    const lack = (await lackOutside(tab, input, unfitAddress)) ?? (await lackInside(tab, input));
    if (lack === null) {
      if (selector === undefined || state === "hidden" || state === "detached") return {};
      const id = await firstId(tab, elements, selector, state === "visible");
      if (id !== null) return { node_id: id };
    }
    if (last) throw new Fault("conflict", worded`${lack ?? "the page changed"} after ${timeoutMs} ms`);
    // A large page gets time for its own work.
    const pause = Math.max(pollMs, 2 * (Date.now() - begunAt));
    await setTimeout(Math.max(0, Math.min(pause, until - Date.now())));
  }
}

/** What does not hold of the tab's address and load; null when all does. */
async function lackOutside(
  { loading }: Tab,
  { url, load }: WaitForBody,
  unfitAddress: () => Promise<string | null>,
): Promise<Worded | null> {
  const address = await unfitAddress();
  if (address !== null)
    return worded`url: the page is at ${quoting(address)}, which does not match ${JSON.stringify(url)},`;
  if (load === undefined || loading.reached(milestones[load])) return null;
  return worded`load: the page has not reached ${load}, but ${loading.words},`;
}

const milestones = {
  domcontentloaded: "DOMContentLoaded",
  load: "load",
  network_idle: "networkIdle",
} as const;

/** The result of `whatHolds`. */
interface Holds {
  attached: boolean;
  visible: boolean;
  text: boolean;
  gone: boolean;
}

/** What does not hold in the tab's documents; null when all does. */
async function lackInside(tab: Tab, input: WaitForBody): Promise<Worded | null> {
  const { selector = null, text = null, text_gone: gone = null } = input;
  if (selector === null && text === null && gone === null) return null;
  await tab.frames.known();
  const looks = tab.frames.all().map(async (frame) => {
    const found = callIn(tab, frame, whatHolds, selector, [selector, text, gone], true);
    return ((await within(found, lookMs))?.value?.value ?? null) as Holds | null;
  });
  const all = await Promise.all(looks);
  const some = (name: keyof Holds) => all.some((one) => one?.[name] === true);
  // A document that does not answer may hold anything.
  const none = (name: keyof Holds) => all.length > 0 && all.every((one) => one?.[name] === false);
  if (selector !== null) {
    const lack = lackOf(input.state ?? "visible", JSON.stringify(selector), some, none);
    if (lack !== null) return worded`selector: ${lack}`;
  }
  if (text !== null && !some("text")) return worded`text: ${JSON.stringify(text)} is not shown`;
  if (gone !== null && !none("gone")) return worded`text_gone: ${JSON.stringify(gone)} is still shown`;
  return null;
}

function lackOf(
  state: NonNullable<WaitForBody["state"]>,
  selector: string,
  some: (name: keyof Holds) => boolean,
  none: (name: keyof Holds) => boolean,
): string | null {
  switch (state) {
    case "visible":
      if (some("visible")) return null;
      return some("attached") ? `what matches ${selector} is hidden` : `nothing matches ${selector}`;
    case "attached":
      return some("attached") ? null : `nothing matches ${selector}`;
    case "hidden":
      return none("visible") ? null : `an element that matches ${selector} is still visible`;
    case "detached":
      return none("attached") ? null : `an element that matches ${selector} is still there`;
  }
}

async function firstId(
  tab: Tab,
  elements: Elements,
  selector: string,
  shown: boolean,
): Promise<number | null> {
  for (const frame of tab.frames.all()) {
    const found = await callIn(tab, frame, firstMatch, selector, [selector, shown], false);
    if (found?.objectId === undefined) continue;
    const id = await idOf(tab, elements, { frame, objectId: found.objectId });
    if (id !== null) return id;
  }
  return null;
}
