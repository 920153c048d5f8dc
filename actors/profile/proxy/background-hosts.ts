/** Hosts of requests that the browser makes by itself. The bridge refuses them, because a proxy's traffic costs money. */

/** A name that does not resolve, for the browser's account requests: pages may visit the real host. */
export const backgroundHost = "background.invalid";

const refused: ReadonlySet<string> = new Set([
  backgroundHost,
  "update.googleapis.com", // Component updates.
  "optimizationguide-pa.googleapis.com", // Models and hints for page loads.
  "content-autofill.googleapis.com", // Field types of forms.
  "safebrowsing.googleapis.com", // Lists of bad sites, and checks against them.
  "connectivitycheck.gstatic.com", // Captive portal detection.
]);

/** Whether a request to this host is the browser's own. */
export function isBackgroundHost(hostname: string): boolean {
  return refused.has(hostname.toLowerCase().replace(/\.$/, ""));
}
