/** Functions that run inside a page, as in in-page.ts: whether a press reached the element that `mousePoint` aims at. */

/** Watches for the `presses`, and stops one that would hit another element. The functions below read the outcome. */
export const guarding = `
  const names = presses ? ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"] : [];
  const guard = (wrapper) => {
    globalThis.troupePress?.end();
    let outcome = null, settle = () => {}, settleReleased = () => {};
    const felt = new Promise((resolve) => { settle = resolve; });
    const released = new Promise((resolve) => { settleReleased = resolve; });
    const was = el.checked + " " + el.value;
    let clicked = false;
    const noted = () => { clicked = true; };
    el.addEventListener("click", noted, true);
    const end = () => {
      for (const name of names) removeEventListener(name, feel, true);
      el.removeEventListener("click", noted, true);
      clearTimeout(forgotten);
    };
    const isMine = (event) => {
      const hit = deepAt(event.clientX, event.clientY, known);
      return event.composedPath().some((node) => node === el || node === wrapper || node.localName === "label" && node.control === el)
        || hit !== null && accepts(hit);
    };
    // A button that the press moves away, as by a message that the last field shows when it is left, gets no click.
    const slipped = ({ clientX: x, clientY: y }) => {
      const boxes = el.isConnected && !clicked && !takesFocus() ? pieces(el) : [];
      return boxes.length > 0 && !boxes.some(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
    };
    const takesFocus = () => el.isContentEditable || el.matches("input:not([type=button],[type=submit],[type=reset],[type=checkbox],[type=radio]),textarea,select");
    const release = (event) => {
      if (isMine(event)) settleReleased(outcome);
      // After the click, which is of the same input.
      else setTimeout(() => settleReleased(slipped(event) ? { hit: true, slipped: true, what: describe(el) } : outcome));
      setTimeout(end);
    };
    let hits = 0;
    const feel = (event) => {
      if (!event.isTrusted) return;
      if (event.type === "pointerup" && hits === presses && !wrapper) return release(event);
      if (outcome === null || outcome.hit && hits < presses && event.type === "pointerdown") {
        const other = deepAt(event.clientX, event.clientY, known) || document.documentElement;
        if (isMine(event)) outcome = { hit: true };
        else outcome = { hit: false, what: describe(el), by: describe(other), ...(hits ? { after: hits } : {}) };
        settle(outcome);
        if (outcome.hit) hits++;
        else settleReleased(outcome);
      }
      if (outcome.hit) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (presses === 1 && /click$/.test(event.type)) end();
    };
    for (const name of names) addEventListener(name, feel, true);
    const forgotten = setTimeout(end, 60000);
    const ended = () => {
      end();
      if (outcome === null) settle(outcome = { hit: el.matches(":hover"), unfelt: true });
      settleReleased(outcome);
      if (!wrapper || !outcome.hit) return outcome;
      const taken = clicked || el.getRootNode().activeElement === el || el.checked + " " + el.value !== was;
      return taken ? outcome : { hit: false, what: describe(el), by: describe(wrapper) };
    };
    globalThis.troupePress = { felt, released, ended, end, isMine };
  };
`;

/** The outcome of the press that `mousePoint` prepared, as soon as the page receives it; `clickFelt`: after the release; `pressEnded`: now. */
export const pressFelt = "function () { return globalThis.troupePress?.felt; }";
export const clickFelt = "function () { return globalThis.troupePress?.released; }";
export const pressEnded = "function () { return globalThis.troupePress?.ended(); }";

/** After `mousePoint`. Whether the mouse reaches its element within `ms`. A page may stop some of the events. */
export const mouseComes = `function (ms) {
  const names = ["pointerrawupdate", "pointerover", "pointermove", "mouseover", "mousemove"];
  return new Promise((resolve) => {
    const stop = (value) => {
      for (const name of names) removeEventListener(name, feel, true);
      clearTimeout(end);
      resolve(value);
    };
    const feel = (event) => {
      if (event.isTrusted && globalThis.troupePress.isMine(event)) stop(true);
    };
    const end = setTimeout(() => stop(false), ms);
    for (const name of names) addEventListener(name, feel, true);
  });
}`;
