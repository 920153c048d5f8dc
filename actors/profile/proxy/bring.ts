/** Brings a proxy's bytes to the browser. */
import type { Socket } from "node:net";

/** A failure cuts the browser's connection, unless the proxy has sent everything before. */
export function bring(out: Socket, browser: Socket, refuses: (bytes: Buffer) => boolean = () => false): void {
  let ended = false;
  out.on("error", () => {
    if (!ended) browser.destroy();
  });
  // What the browser sends on has no taker; unread, it would keep the browser's connection open for ever.
  out.once("close", () => browser.unpipe(out).resume());
  browser.once("close", () => out.destroy());
  if (browser.destroyed) out.destroy();
  out.on("data", (bytes: Buffer) => {
    if (refuses(bytes)) return void browser.destroy();
    if (browser.write(bytes)) return;
    out.pause();
    browser.once("drain", () => out.resume());
  });
  out.once("end", () => {
    ended = true;
    browser.end();
  });
}
