/**
 * The script for what no switch and no command reaches: `navigator.platform` in every realm, and the two strings that WebGL gives
 * of the graphics card. It is visible to a page that looks for it, so it changes nothing else, and hides nothing of itself:
 * masking `Function.prototype.toString` was found three times as often as it saves (actors/profile/README.md, "Where values come from").
 */
import type { Shown } from "./shown.ts";

/** The script's text; null when the profile needs none. Runs in windows and workers, before anything of the page. */
export function pageScriptOf({
  platform,
  device: { gpu },
}: Pick<Shown, "platform" | "device">): string | null {
  if (platform === null && gpu === null) return null;
  return `(${install})(${JSON.stringify({ platform, gpu })});`;
}

/** Sent as text: it may use nothing from around it. */
const install = `({ platform, gpu }) => {
  const replace = (holder, name, kind, make) => {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    if (own !== undefined) Object.defineProperty(holder, name, { ...own, [kind]: make(own[kind]) });
  };
  if (platform !== null) {
    const { prototype } = globalThis.Navigator ?? globalThis.WorkerNavigator;
    // The browser's own getter goes first: it throws for what is no navigator.
    replace(prototype, "platform", "get", (native) =>
      Object.getOwnPropertyDescriptor({ get platform() { native.call(this); return platform; } }, "platform").get);
  }
  if (gpu !== null) {
    const strings = { 0x9245: gpu.vendor, 0x9246: gpu.renderer };
    for (const name of ["WebGLRenderingContext", "WebGL2RenderingContext"]) {
      if (globalThis[name] === undefined) continue;
      replace(globalThis[name].prototype, "getParameter", "value", (native) => ({
        getParameter(pname) {
          const value = native.apply(this, arguments);
          // Null where the extension was not asked for, or there is no graphics at all.
          return typeof value === "string" ? strings[pname] ?? value : value;
        },
      }).getParameter);
    }
  }
}`;
