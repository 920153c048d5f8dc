/** What tells two devices apart for those who compare fingerprints. */
import type { Fingerprint } from "../../protocol/fingerprint.ts";

/**
 * Equal for devices that a page can hardly tell apart: bars are compared as fingerprinters round them (to 10 pixels), and
 * scaling and the system's version, which not all of them read, are left out.
 */
export function deviceKey({ screen, hardwareConcurrency, gpu }: Fingerprint): string {
  const { width, height, colorDepth, insetTop, insetBottom } = screen;
  const bars = [insetTop, insetBottom].map((height) => Math.round(height / 10) * 10).join("+");
  return [`${width}x${height}`, colorDepth, bars, hardwareConcurrency, gpu?.renderer ?? "host"].join(" ");
}
