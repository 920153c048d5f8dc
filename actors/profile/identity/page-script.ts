/** The script for values that only a script can set (actors/profile/README.md, "Where values come from"). It hides nothing of itself. */
import type { Shown } from "./shown.ts";

/** The script's text; null when the profile needs none. Runs in windows and workers before the page's own code. */
export function pageScriptOf({
  platform,
  device: { gpu },
}: Pick<Shown, "platform" | "device">): string | null {
  if (platform === null && gpu === null) return null;
  return `(${install})(${JSON.stringify({ platform, gpu })});`;
}

/** Sent as text, so it uses nothing outside itself. */
const install = `({ platform, gpu }) => {
  const replace = (holder, name, kind, make) => {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    if (own !== undefined) Object.defineProperty(holder, name, { ...own, [kind]: make(own[kind]) });
  };
  if (platform !== null) {
    const { prototype } = globalThis.Navigator ?? globalThis.WorkerNavigator;
    // Call the browser's getter first: it throws for an object that is no navigator.
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
          // Null without the extension, or without graphics.
          return typeof value === "string" ? strings[pname] ?? value : value;
        },
      }).getParameter);
    }
  }
}`;
