/** The verb type: text into an element, key by key. */
import { setTimeout } from "node:timers/promises";
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { TypeBody } from "../../../protocol/verbs/type.ts";
import type { Point } from "./aim.ts";
import { clear } from "./clear.ts";
import { press } from "./click.ts";
import { typeDate } from "./dates.ts";
import { afterInput, callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { focus, withFocus } from "./focus.ts";
import { throughFrame } from "./in-page-aim.ts";
import { typedText } from "./in-page-type.ts";
import type { InputEvent } from "./input.ts";
import { eventsOf, inserted } from "./keyboard.ts";
import { throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

export const work: Work<"type"> = async ({ onElement }, input) => {
  const keys = keysOf(input.text);
  checkDelay(keys.length, input.delay_ms ?? 0);
  return onElement(input.node_id, (element) => type(element, input, keys));
};

/** Throws `invalid` when the pauses between so many keys take too long. */
function checkDelay(keys: number, delayMs: number): void {
  const allMs = (keys - 1) * delayMs;
  if (allMs <= limits.typedDelayMaxMs) return;
  throw new Fault(
    "invalid",
    `delay_ms must be at most ${Math.floor(limits.typedDelayMaxMs / (keys - 1))} for a text of ${keys} keys, so that all pauses take at most ${limits.typedDelayMaxMs / 1_000} s, got ${delayMs}; type less at once or faster`,
  );
}

/** Focuses the element and types. Throws `conflict` if it is not editable, or the text is not in it afterwards. */
function type(element: Element, input: TypeBody, keys: InputEvent[][]): Promise<void> {
  const { node_id: nodeId, text } = input;
  return withFocus(element, nodeId, "text", async (field, spot) => {
    if (input.clear === true) await clear(field, nodeId);
    const give = async () => {
      if (!(await typeDate(field, text))) await giveKeys(field, keys, input.delay_ms ?? 0);
    };
    if (text !== "") {
      let lost = await typed(field, nodeId, text, give, spot);
      if (lost?.spot) {
        await focus(field, nodeId, "text");
        lost = await typed(field, nodeId, text, give, lost.spot);
      }
      if (lost !== null) throw refusalFault(nodeId, lost);
    }
    if (input.submit === true) await field.tab.input.give(eventsOf("\n"));
  });
}

interface Lost extends Refusal {
  spot?: Point | null;
}

/** Types at the caret, or at `spot`. Returns why the text is not there; null when it is, or the keys left the document, as Enter does in a form. */
async function typed(
  element: Element,
  nodeId: number,
  text: string,
  give: () => Promise<void>,
  spot?: Point,
): Promise<Lost | null> {
  if (spot !== undefined) await press(element.tab, await throughFrames(element, nodeId, spot, throughFrame));
  await give();
  const look = () => callOn<object | Lost>(element, typedText, [{ value: text }]);
  const answer = await afterInput(look);
  return answer !== null && "error" in answer ? answer : null;
}

/** The events of each key of a text, and of its rest. Characters outside the US keyboard cause only `input` events. */
function keysOf(text: string): InputEvent[][] {
  const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(
    text.slice(0, limits.typedKeysMax),
  );
  const keys: InputEvent[][] = [];
  let taken = 0;
  for (const { segment } of clusters) {
    const last = taken + segment.length >= limits.typedKeysMax;
    if (last && text.length > limits.typedKeysMax) break; // It may be half of a cluster.
    taken += segment.length;
    keys.push(eventsOf(segment));
  }
  if (taken < text.length) keys.push([inserted(text.slice(taken))]);
  return keys;
}

/** Gives all keys at once, or one after the other. */
async function giveKeys({ tab }: Element, keys: InputEvent[][], delayMs: number): Promise<void> {
  if (delayMs === 0) return tab.input.give(keys.flat());
  const until = Date.now() + limits.typedDelayMaxMs + slackMs;
  for (const [at, key] of keys.entries()) {
    if (at > 0) await setTimeout(delayMs);
    if (Date.now() > until) throw new Fault("conflict", tooSlow(at, keys.length));
    await tab.input.give(key);
  }
}

/** What the page may take for the keys, beside the pauses; the rest of the verb's time is for other steps. */
const slackMs = 5_000;

const tooSlow = (typedKeys: number, all: number) =>
  `the page took too long: ${typedKeys} of ${all} keys were typed; type less at once, or with a smaller delay_ms`;
