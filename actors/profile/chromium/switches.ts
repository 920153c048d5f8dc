/** The command line and environment of the browser: every switch, and why it is there. */

export interface SwitchInput {
  userDataDir: string;
  /** Without a window: asked for, or for want of a display. */
  headless: boolean;
  /** The sandbox does not start as root. */
  asRoot: boolean;
}

/**
 * Switches of every launch. Tried and left out, as they made the start no faster (medians of 12, interleaved, until the first
 * page answers): `--disable-extensions`, `--disable-gpu`, `--disable-breakpad`, `--disable-default-apps` (±10 ms, noise),
 * `--no-zygote` (+90 ms), no start page given (+45 ms), a user data directory copied from a used one (+40 ms for the copying
 * of 150 files) or from its three preference files only (−8 ms, within noise, and it would give profiles common ids).
 */
const fixedSwitches: readonly (readonly [name: string, reason: string])[] = [
  ["--remote-debugging-pipe", "our control channel; when its other end closes, the browser exits by itself"],
  ["--remote-debugging-port=0", "cdpUrl; the browser picks a free port itself, so that none is picked twice"],
  [
    "--disable-blink-features=AutomationControlled",
    "pipe and port 0 turn navigator.webdriver on; this turns it off",
  ],
  ["--no-first-run", "no welcome page in a new user data directory"],
  ["--no-default-browser-check", "no question in the first window"],
  ["--hide-crash-restore-bubble", "no bubble over the page after a kill"],
  [
    "--password-store=basic",
    "cookies are sealed with a key that is there on every machine, not the desktop's key ring",
  ],
  ["--use-mock-keychain", "the same on macOS, where the key chain would ask the user"],
  ["--disable-background-networking", "no traffic that the user did not cause"],
  ["--disable-component-update", "the same: no component downloads, and no start-up work for them"],
  ["--disable-sync", "the same: nothing goes to an account"],
  ["--disable-domain-reliability", "the same: no reports about failed loads"],
  ["--disable-client-side-phishing-detection", "the same: no model downloads, no page scoring"],
  ["--no-pings", "the same: no hyperlink auditing"],
  ["--metrics-recording-only", "metrics are never sent"],
  ["--disable-backgrounding-occluded-windows", "a covered window goes on drawing: verbs wait for frames"],
  [
    "--disable-renderer-backgrounding",
    "a tab that is not in front keeps its priority: scripts drive many windows",
  ],
  ["--disable-background-timer-throttling", "the same for timers of pages in the background"],
  ["--disable-hang-monitor", "no dialog over a page that is busy"],
  ["--disable-prompt-on-repost", "no dialog when a form's result is loaded again"],
  ["--noerrdialogs", "no native dialog when the profile cannot be read"],
];

const offFeatures: readonly (readonly [name: string, reason: string])[] = [
  [
    "SpareRendererForSitePerProcess",
    "no spare renderer: 30 ms earlier until the page answers, 20 MB less a browser",
  ],
  ["Translate", "no bar that moves the page, no language model"],
  ["OptimizationHints", "no traffic that the user did not cause"],
  ["MediaRouter", "no search for cast devices in the local network"],
];

/** The arguments of one launch. The first tab is `about:blank`: without it the new-tab page is built first. */
export function switchesOf(input: SwitchInput): string[] {
  return [
    `--user-data-dir=${input.userDataDir}`,
    ...fixedSwitches.map(([name]) => name),
    `--disable-features=${offFeatures.map(([name]) => name).join(",")}`, // One list: a second would replace the first.
    ...(input.headless ? ["--headless=new"] : []),
    ...(input.asRoot ? ["--no-sandbox"] : []),
    "about:blank",
  ];
}

/** The browser's environment: the service's own, and the profile's zone for every realm from the first byte. */
export function environmentOf(own: NodeJS.ProcessEnv, timezone: string | null): NodeJS.ProcessEnv {
  return timezone === null ? own : { ...own, TZ: timezone };
}
