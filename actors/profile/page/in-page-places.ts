/** Parts of functions that run inside a page, as in in-page.ts: where an element is drawn, and when it has come to rest. */

/**
 * `inward` and `outward` convert between the viewport and an element's padding box, through every transform around it: the browser
 * itself computes the offset of an event of no known name. An iteration inverts it, since perspective is not affine.
 */
export const placed = `
  const offsetIn = (target, clientX, clientY) => {
    const name = "_" + Math.random();
    let offset = [];
    // Read while it is under way: after it, an event in a shadow root has no target.
    const read = (event) => { offset = [event.offsetX, event.offsetY]; };
    target.addEventListener(name, read, { once: true });
    target.dispatchEvent(new PointerEvent(name, { clientX, clientY }));
    return offset;
  };
  // In a zoomed frame Chromium divides the place of the event by the frame's zoom.
  const frameZoom = 100 / (offsetIn(document, 100, 0)[0] - offsetIn(document, 0, 0)[0]) || 1;
  const inward = (box, clientX, clientY) => offsetIn(box, clientX * frameZoom, clientY * frameZoom);
  const outward = (box, x, y) => {
    const rect = box.getBoundingClientRect();
    const step = 16;
    let outer = [rect.left + rect.width / 2, rect.top + rect.height / 2];
    for (let round = 0; round < 12; round++) {
      const [x0, y0] = inward(box, outer[0], outer[1]);
      const [dx, dy] = [x - x0, y - y0];
      if (Math.abs(dx) + Math.abs(dy) < 0.02) break;
      const [x1, y1] = inward(box, outer[0] + step, outer[1]), [x2, y2] = inward(box, outer[0], outer[1] + step);
      const [a, b, c, d] = [x1 - x0, x2 - x0, y1 - y0, y2 - y0];
      const det = a * d - b * c;
      if (!det) break;
      outer = [outer[0] + step * (d * dx - b * dy) / det, outer[1] + step * (a * dy - c * dx) / det];
    }
    return { x: outer[0], y: outer[1] };
  };
  const contentAt = (box, x, y) => {
    const { paddingLeft, paddingTop } = getComputedStyle(box);
    const zoom = box.currentCSSZoom ?? 1; // Offsets of events count zoomed pixels.
    return outward(box, zoom * (parseFloat(paddingLeft) + x), zoom * (parseFloat(paddingTop) + y));
  };
  const around = (points) => {
    const xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
    const left = Math.min(...xs), top = Math.min(...ys), right = Math.max(...xs), bottom = Math.max(...ys);
    return { left, top, right, bottom, x: left, y: top, width: right - left, height: bottom - top };
  };
  const corners = (left, top, right, bottom) => [[left, top], [right, top], [right, bottom], [left, bottom]];
`;

/** Uses `placed`. `pieces`: the boxes of an element; of one without a box, those of what is in it; of an area, its shape in the image. `whole`: the box around them. */
export const drawn = `
  const imageOf = (area) => {
    const map = area.closest("map");
    const users = map ? area.getRootNode().querySelectorAll("img[usemap],object[usemap]") : [];
    return [...users].find((one) => one.useMap === "#" + map.name && one.getClientRects().length) || null;
  };
  const shapeOf = (area) => {
    const image = imageOf(area);
    if (!image) return [];
    const numbers = area.coords.split(",").map(Number);
    const [x = 0, y = 0, a = 0, b = 0] = numbers;
    const shape = area.shape.toLowerCase();
    let box = [x, y, a, b];
    if (shape === "default") box = [0, 0, image.clientWidth, image.clientHeight];
    else if (shape.startsWith("circ")) box = [x - a, y - a, x + a, y + a];
    else if (shape.startsWith("poly")) {
      const xs = numbers.filter((n, at) => at % 2 === 0), ys = numbers.filter((n, at) => at % 2 === 1);
      box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    return [around(corners(...box).map(([cx, cy]) => contentAt(image, cx, cy)))];
  };
  const pieces = (node, depth = 0) => {
    if (node.localName === "area") return shapeOf(node);
    const line = node instanceof SVGGeometryElement;
    const own = [...node.getClientRects()].filter(({ width, height }) => line ? width > 0 || height > 0 : width > 0 && height > 0);
    if (own.length || depth > 20) return own;
    const { display, overflowX } = getComputedStyle(node);
    if (display === "none" || display !== "contents" && overflowX !== "visible") return [];
    const slotted = node.localName === "slot" ? node.assignedNodes() : [];
    return [...(slotted.length ? slotted : (node.shadowRoot || node).childNodes)].flatMap((child) => {
      if (child.nodeType === 1) return pieces(child, depth + 1);
      if (child.nodeType !== 3) return [];
      const range = document.createRange();
      range.selectNode(child);
      return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    });
  };
  const whole = (node) => around(pieces(node).flatMap(({ left, top, right, bottom }) => [{ x: left, y: top }, { x: right, y: bottom }]));
`;

/** Uses `drawn` and `goals`. Why the element is hidden; `rest`: waits until it stands still or `restMs` is over, false without a box. */
export const resting = `
  const restMs = 2000;
  let moving = false;
  const goal = () => goals.find((one) => pieces(one).length > 0) || null;
  const boxOf = () => {
    const one = goal();
    return one && pieces(one)[0];
  };
  const unrendered = (contentVisibilityAuto) => {
    const one = goal();
    return one && one.localName !== "area" && one.getClientRects().length > 0 && !one.checkVisibility({ contentVisibilityAuto });
  };
  const hiddenBecause = () => {
    const one = goal();
    if (!one) return "it has no box (display: none, or empty)";
    if (getComputedStyle(one).visibility !== "visible" && one.localName !== "area") return "its visibility is " + getComputedStyle(one).visibility;
    if (unrendered(false)) return "it is not rendered (content-visibility: hidden, or in closed details)";
    return null;
  };
  // Waits for running animations, which may show or uncover the element. False when there are none that end.
  const settled = async () => {
    const ends = document.getAnimations().filter((one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime));
    await Promise.race([Promise.allSettled(ends.map((one) => one.finished)), new Promise((done) => setTimeout(done, restMs))]);
    return ends.length > 0;
  };
  const rest = async () => {
    const begun = performance.now();
    let still = 0;
    for (let last = boxOf(); ; ) {
      const drawn = (await frame()) !== undefined;
      const now = boxOf();
      if (!now) return false;
      const same = last && now.x === last.x && now.y === last.y && now.width === last.width && now.height === last.height;
      const over = moving || performance.now() - begun > restMs;
      still = same ? still + 1 : 0;
      // Where it turns, a moving element is in the same place twice.
      const animations = document.getAnimations();
      const enough = animations.some((one) => one.playState === "running") ? 2 : 1;
      // An animation has not moved anything before its second frame.
      const begins = drawn && animations.some((one) => one.pending);
      // Content that is scrolled to is rendered one frame later.
      if (over || still >= enough && !begins && !unrendered(true)) {
        moving = still < enough;
        return true;
      }
      last = now;
    }
  };
`;
