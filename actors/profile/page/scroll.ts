/** The verb scroll: the wheel, in the middle of the page. */
import { Fault } from "../../../protocol/faults.ts";
import type { ScrollBody } from "../../../protocol/verbs/scroll.ts";
import { afterInput } from "./elements.ts";
import { scrollRest, scrollUnseen, watchScroll } from "./in-page.ts";
import type { Tab } from "./tab.ts";
import type { Work } from "./work.ts";

export const work: Work<"scroll"> = ({ onTab }, input) =>
  onTab(async (tab) => {
    await scroll(tab, input);
    return {};
  });

/** Scrolls by `amount` pixels with the wheel, in a minimized window by script, and waits until the page rests. */
async function scroll(tab: Tab, { direction, amount }: ScrollBody): Promise<void> {
  const { cssVisualViewport } = await tab.session.send("Page.getLayoutMetrics", {});
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
  const executionContextId = await tab.frames.world(frame);
  const watch = { functionDeclaration: watchScroll, executionContextId, returnByValue: true };
  const drawn = (await tab.session.send("Runtime.callFunctionOn", watch)).result.value === true;
  const x = Math.floor(cssVisualViewport.clientWidth / 2);
  const y = Math.floor(cssVisualViewport.clientHeight / 2);
  const by = direction === "up" || direction === "left" ? -amount : amount;
  const vertical = direction === "up" || direction === "down";
  const [deltaX, deltaY] = vertical ? [0, by] : [by, 0];
  if (!drawn) {
    const given = [x, y, deltaX, deltaY].map((value) => ({ value }));
    const unseen = { functionDeclaration: scrollUnseen, executionContextId, arguments: given };
    await tab.session.send("Runtime.callFunctionOn", unseen);
    return;
  }
  const params = { type: "mouseWheel" as const, x, y, deltaX, deltaY };
  await tab.input.give([{ method: "Input.dispatchMouseEvent", params }]);
  const rest = { functionDeclaration: scrollRest, executionContextId, awaitPromise: true };
  await afterInput(() => tab.session.send("Runtime.callFunctionOn", rest));
}
