/** The verb drag: real mouse events, and drag events once the page has begun a native drag. */
import { setTimeout } from "node:timers/promises";
import type { DragBody } from "../../../protocol/verbs/drag.ts";
import { createDeferred } from "../../kernel/deferred.ts";
import type { Params, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import { aim, type Point } from "./aim.ts";
import { reach } from "./click.ts";
import { afterInput, callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { throughFrame } from "./in-page-aim.ts";
import {
  dragBegun,
  dropPoint,
  droppedHere,
  hasMoved,
  nextFrame,
  watchDrag,
  watchDrop,
  wouldDrop,
} from "./in-page-drag.ts";
import { pressEnded, pressFelt } from "./in-page-press.ts";
import type { Tab } from "./tab.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

const steps = 10;
/** Libraries count a press that moved this far as a drag. */
const nudge = 12;
const feltMs = 100;
const interceptedMs = 2_000;
const dropTriesMax = 10;

export const work: Work<"drag"> = ({ onElement, elements }, input) =>
  onElement(input.from_node_id, async (element) => {
    const target = await elements.find(input.to_node_id, element.tab);
    try {
      await drag(element, target, input);
    } finally {
      release(target);
    }
    return {};
  });

/** Throws `conflict` when an element is hidden, covered or gone, or the press misses; `invalid` for a position outside the target's box. */
async function drag(source: Element, target: Element, input: DragBody): Promise<void> {
  const { from_node_id: fromId, to_node_id: toId, to_position: position } = input;
  const { tab } = source;
  await aim(target, toId, 0, position); // Refuses one that is hidden or covered before anything moves.
  const from = await grip(source, fromId);
  const hand = new Hand(tab, from);
  let how: "drop" | "dragCancel" = "dragCancel";
  try {
    await hand.intercept();
    await callOn(source, watchDrag);
    await setTimeout(input.hold_ms ?? 0);
    for (const part of [0.5, 1]) await hand.move({ x: from.x + nudge * part, y: from.y + nudge * part });
    await afterInput(() => callOn(source, nextFrame));
    if (await afterInput(() => callOn<boolean>(source, dragBegun))) await hand.takeOver();
    if (hand.native) await callOn(target, watchDrop);
    const start = hand.at;
    for (let step = 1; step <= steps; step++) {
      // The page may move its content meanwhile, as a sortable list does.
      const to = await pointOf(target, toId, position);
      const part = step / steps;
      await hand.move({ x: start.x + (to.x - start.x) * part, y: start.y + (to.y - start.y) * part });
      await afterInput(() => callOn(target, nextFrame));
    }
    await settle(hand, target);
    how = "drop";
  } finally {
    await hand.release(how);
  }
  if (!hand.native) return;
  const dropped = await afterInput(() => callOn<boolean>(target, droppedHere));
  if (dropped !== false || (await afterInput(() => callOn<boolean>(source, hasMoved))) !== false) return;
  throw refusalFault(toId, { error: "no-drop" });
}

/** Moves at the drop's place until the page says that it would take a native drag: another process hears of it later. */
async function settle(hand: Hand, target: Element): Promise<void> {
  for (let tries = hand.native ? dropTriesMax : 1; tries > 0; tries--) {
    await hand.move(hand.at);
    await afterInput(() => callOn(target, nextFrame));
    if (hand.native && (await afterInput(() => callOn<boolean>(target, wouldDrop))) !== false) return;
  }
}

async function pointOf(target: Element, nodeId: number, position: DragBody["to_position"]): Promise<Point> {
  const given = [{ value: position ?? null }];
  const inFrame = accepted(nodeId, await callOn<Point | Refusal>(target, dropPoint, given));
  const place = await throughFrames(target, nodeId, inFrame, throughFrame);
  return { x: place.x, y: place.y };
}

/** Presses the element, and returns where. The page stops a press that would meet another one. */
async function grip(element: Element, nodeId: number): Promise<Point> {
  const spot = await aim(element, nodeId, 1);
  const { x, y } = await throughFrames(element, nodeId, spot, throughFrame);
  if (!spot.blind) await reach(element, nodeId, { x, y });
  const felt = callOn<{ hit: boolean; what?: string; by?: string }>(element, pressFelt);
  felt.catch(() => {}); // Awaited below, unless the input fails.
  await element.tab.input.give([
    mouse({ type: "mousePressed", button: "left", buttons: 1, clickCount: 1, x, y }),
  ]);
  if (spot.blind) return { x, y };
  const met =
    (await within(felt, feltMs))?.value ?? (await callOn<Awaited<typeof felt>>(element, pressEnded));
  if (met.hit) return { x, y };
  await new Hand(element.tab, { x, y }).release("dragCancel");
  const { hit: _hit, ...others } = met;
  throw refusalFault(nodeId, { error: "covered", ...others });
}

const mouse = (params: Params<"Input.dispatchMouseEvent">) => ({
  method: "Input.dispatchMouseEvent" as const,
  params,
});

/** The pressed mouse; sends drag events instead once the page has begun a native drag. */
class Hand {
  readonly #tab: Tab;
  readonly #intercepted = createDeferred<Protocol.Input.DragData>();
  readonly #off: () => void;
  #drag: Protocol.Input.DragData | null = null;
  at: Point;

  constructor(tab: Tab, at: Point) {
    this.#tab = tab;
    this.at = at;
    this.#off = tab.session.on("Input.dragIntercepted", ({ data }) => this.#intercepted.resolve(data));
  }

  get native(): boolean {
    return this.#drag !== null;
  }

  /** Makes the browser report a drag instead of starting one of the desktop, which no event could end. */
  async intercept(): Promise<void> {
    await this.#tab.session.send("Input.setInterceptDrags", { enabled: true });
  }

  async move(to: Point): Promise<void> {
    this.at = to;
    if (this.#drag === null)
      await this.#tab.input.give([mouse({ type: "mouseMoved", button: "left", buttons: 1, ...to })]);
    else await this.#event("dragOver", this.#drag);
  }

  /** Call when the page has begun a native drag. */
  async takeOver(): Promise<void> {
    this.#drag = (await within(this.#intercepted.promise, interceptedMs))?.value ?? null;
    if (this.#drag !== null) await this.#event("dragEnter", this.#drag);
  }

  async release(how: "drop" | "dragCancel"): Promise<void> {
    try {
      if (this.#drag !== null) await this.#event(how, this.#drag);
      else
        await this.#tab.input.give([
          mouse({ type: "mouseReleased", button: "left", buttons: 0, clickCount: 1, ...this.at }),
        ]);
    } finally {
      this.#off();
      await this.#tab.session.send("Input.setInterceptDrags", { enabled: false }).catch(() => {}); // The tab may have closed.
    }
  }

  async #event(
    type: Params<"Input.dispatchDragEvent">["type"],
    data: Protocol.Input.DragData,
  ): Promise<void> {
    await this.#tab.session.send("Input.dispatchDragEvent", { type, data, ...this.at });
  }
}
