/** Decides which devices look the same to a fingerprinting page. */
import type { Fingerprint } from "../../protocol/fingerprint.ts";

/**
 * Equal for devices that a page can hardly distinguish. Rounds bars to 10 pixels, as fingerprinting scripts do; ignores scaling and
 * system version, which some scripts do not read.
 */
export function deviceKey({ screen, hardwareConcurrency, gpu }: Fingerprint): string {
  const { width, height, colorDepth, insetTop, insetBottom } = screen;
  const bars = [insetTop, insetBottom].map((height) => Math.round(height / 10) * 10).join("+");
  return [`${width}x${height}`, colorDepth, bars, hardwareConcurrency, gpu?.renderer ?? "host"].join(" ");
}
