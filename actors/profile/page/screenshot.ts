/** The verb screenshot: a picture of what the tab shows, of the whole page, or of one element. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { ScreenshotQuery } from "../../../protocol/verbs/screenshot.ts";
import { failureOf, type Params } from "../cdp/session.ts";
import { callOn, type Elements, release } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import { boxThroughFrame, restingBox } from "./in-page-boxes.ts";
import type { Tab } from "./tab.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

/** In CSS pixels. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What to draw: a box of the document, and whether the tab shows all of it. */
interface Subject {
  tab: Tab;
  view: View;
  box: Box;
  shown: boolean;
}

/** The part of the document that the tab shows, scroll bars included. */
interface View extends Box {
  full: { width: number; height: number };
  /** Pixels of the picture per CSS pixel, and the user's zoom, which it includes. */
  pixelRatio: number;
  zoom: number;
  /** In a minimized window, which draws a frame only for some clips. */
  hidden: boolean;
}

const hiddenMs = 3_000;

export const work: Work<"screenshot"> = async ({ onTab, elements }, query) => {
  const { format = "png", quality, full_page: full, node_id: nodeId } = query;
  if (quality !== undefined && format === "png")
    throw new Fault("invalid", "quality is for jpeg and webp: leave it out, or give another format than png");
  if (full === true && nodeId !== undefined)
    throw new Fault("invalid", "node_id must be left out with full_page: a picture shows one of the two");
  return onTab(async (current) => {
    await current.loading.settled(limits.navigationSettleMs);
    const subject = await (nodeId === undefined
      ? pageOf(current, full === true)
      : elementOf(elements, nodeId, query.tab_id === undefined ? null : current));
    const part = partOf(subject, query);
    const asked = { format, ...(quality === undefined ? {} : { quality }), ...part };
    const data = await drawn(subject, asked);
    return { mediaType: `image/${format}`, bytes: Buffer.from(data, "base64") };
  });
};

/** Base64. Throws `conflict` when a minimized window draws nothing. */
async function drawn({ tab, view }: Subject, asked: Params<"Page.captureScreenshot">): Promise<string> {
  const ms = view.hidden ? hiddenMs : limits.pageVerbTimeoutMs;
  try {
    return (await tab.session.send("Page.captureScreenshot", asked, ms)).data;
  } catch (error) {
    if (!view.hidden || failureOf(error) !== "overdue") throw error;
    throw new Fault("conflict", "the window is minimized and draws nothing: restore it, then try again");
  }
}

async function viewOf(tab: Tab): Promise<View> {
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
  const contextId = await tab.frames.world(frame);
  const expression = "[innerWidth, innerHeight, devicePixelRatio, document.hidden]";
  const [metrics, { result }] = await Promise.all([
    tab.session.send("Page.getLayoutMetrics", {}),
    tab.session.send("Runtime.evaluate", { expression, contextId, returnByValue: true }),
  ]);
  const { cssLayoutViewport, cssVisualViewport, cssContentSize } = metrics;
  const [width, height, pixelRatio, hidden] = result.value;
  return {
    x: cssLayoutViewport.pageX,
    y: cssLayoutViewport.pageY,
    width,
    height,
    full: { width: cssContentSize.width, height: cssContentSize.height },
    pixelRatio,
    zoom: cssVisualViewport.zoom ?? 1,
    hidden,
  };
}

async function pageOf(tab: Tab, full: boolean): Promise<Subject> {
  const view = await viewOf(tab);
  const { x, y, width, height } = view;
  return { tab, view, box: full ? { x: 0, y: 0, ...view.full } : { x, y, width, height }, shown: !full };
}

/** Scrolls the element into view. Of one in a frame or in a box that clips it, the part that those show. */
async function elementOf(elements: Elements, nodeId: number, named: Tab | null): Promise<Subject> {
  const element = await elements.find(nodeId, named);
  const { tab } = element;
  try {
    const inFrame = accepted(nodeId, await callOn<Box | Refusal>(element, restingBox));
    const inTab = await throughFrames(element, nodeId, inFrame, boxThroughFrame);
    const view = await viewOf(tab);
    const [left, top] = [Math.floor(inTab.x), Math.floor(inTab.y)];
    const width = Math.ceil(inTab.x + inTab.width) - left;
    const height = Math.ceil(inTab.y + inTab.height) - top;
    const shown = left >= 0 && top >= 0 && left + width <= view.width && top + height <= view.height;
    return { tab, view, box: { x: left + view.x, y: top + view.y, width, height }, shown };
  } finally {
    release(element);
  }
}

/** Throws `conflict` when the picture would be too large. */
function partOf(
  { view, box, shown }: Subject,
  { full_page: full, node_id: nodeId, max_width: maxWidth }: ScreenshotQuery,
): Partial<Params<"Page.captureScreenshot">> {
  const { pixelRatio, zoom, hidden } = view;
  const scale = maxWidth === undefined ? 1 : Math.min(1, maxWidth / Math.round(box.width * pixelRatio));
  const width = Math.max(1, Math.round(box.width * pixelRatio * scale));
  const height = Math.max(1, Math.round(box.height * pixelRatio * scale));
  const { screenshotSidePixelsMax: sideMax, screenshotPixelsMax: pixelsMax } = limits;
  if (Math.max(width, height) > sideMax || width * height > pixelsMax) {
    throw new Fault(
      "conflict",
      `the picture would be ${width} x ${height} pixels, more than ${sideMax} a side or ${pixelsMax / 1e6} million in all; give a smaller max_width, or the node_id of a part`,
    );
  }
  // A clip changes how the page is laid out for a moment, which it may notice.
  if (scale === 1 && full !== true && nodeId === undefined && !hidden) return {};
  const clip = {
    x: box.x * zoom,
    y: box.y * zoom,
    width: box.width * zoom,
    height: box.height * zoom,
    scale,
  };
  return { clip, captureBeyondViewport: !shown || hidden };
}
