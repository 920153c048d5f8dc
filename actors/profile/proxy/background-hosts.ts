/** Calls that the browser makes of its own accord and no page needs: the bridge refuses them, as a proxy's bandwidth is paid for. */

/** A name that leads nowhere, which the browser is given for its calls about accounts: pages may visit the real host. */
export const backgroundHost = "background.invalid";

const refused: ReadonlySet<string> = new Set([
  backgroundHost,
  "update.googleapis.com", // Updates of components.
  "optimizationguide-pa.googleapis.com", // Models and hints for page loads.
  "content-autofill.googleapis.com", // What the fields of a form are for.
  "safebrowsing.googleapis.com", // Lists of bad sites, and checks against them.
  "connectivitycheck.gstatic.com", // Whether a bad certificate is a hotel's login page.
]);

/** Whether a request to this host is the browser's own and goes nowhere. */
export function isBackgroundHost(hostname: string): boolean {
  return refused.has(hostname.toLowerCase().replace(/\.$/, ""));
}
