/** The command line and environment of the browser, with the reason for each switch. */
import type { ScreenShape } from "../../../protocol/fingerprint.ts";
import { backgroundHost } from "../proxy/background-hosts.ts";

export interface SwitchInput {
  userDataDir: string;
  headless: boolean;
  asRoot: boolean;
  /** Port of the bridge on 127.0.0.1; null, the default, for a direct connection. */
  proxyPort?: number | null;
  languages?: readonly string[];
  device?: ShownDevice | null;
}

/** The parts of a device that switches set in every realm. */
export interface ShownDevice {
  userAgent: string;
  screen: ScreenShape;
}

/** Switches of every launch. bench/FINDINGS.md, "Launch", has those that were tried and did not help. */
const fixedSwitches: readonly (readonly [name: string, reason: string])[] = [
  [
    "--remote-debugging-pipe=cbor",
    "our control channel, in binary (cdp/cbor.ts), and the only one: no port that a page could reach. When its other end closes, the browser exits by itself",
  ],
  [
    "--disable-blink-features=AutomationControlled",
    "the pipe turns navigator.webdriver on; this turns it off",
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
  [
    "--disable-component-extensions-with-background-pages",
    "the browser's own extensions have nothing to do here: 3 % less processor time a start",
  ],
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

/** Switches of launches without a window. Chromium still draws its own controls there, as pages see the space for them. */
const headlessSwitches: readonly (readonly [name: string, reason: string])[] = [
  ["--headless=new", "no window"],
  [
    "--animation-duration-scale=0",
    "the browser's own buttons and bubbles, which nobody sees, change at once; pages' animations are others. Of a part of suite `batch`: 6 to 11 % less of the browser process, a fifth less of the GPU process",
  ],
];

const offFeatures: readonly (readonly [name: string, reason: string])[] = [
  [
    "SpareRendererForSitePerProcess",
    "no spare renderer: 30 ms earlier until the page answers, 20 MB less a browser",
  ],
  [
    "WebUIOmniboxPopup",
    "the address bar's list is drawn natively and not by a renderer of its own, kept ready: a quarter less processor time in a browser's first two seconds, 6 % less until the page answers",
  ],
  ["WebUIOmniboxAimPopup", "the same renderer, for its other page"],
  ["Translate", "no bar that moves the page, no language model"],
  ["OptimizationHints", "no traffic that the user did not cause"],
  ["MediaRouter", "no search for cast devices in the local network"],
  ["NetworkTimeServiceQuerying", "no question about the time at every start and bad certificate"],
];

const onFeatures: readonly (readonly [name: string, reason: string])[] = [
  [
    "NetworkServiceInProcess2",
    "the network is a thread of the browser and no process beside it, which has no sandbox on Linux anyway: 11 % less processor time a start (eight rounds in turns, 550 against 490 ms)",
  ],
];

/** The arguments of one launch. The first tab is `about:blank`, or the new-tab page would load first. */
export function switchesOf(input: SwitchInput): string[] {
  return [
    `--user-data-dir=${input.userDataDir}`,
    ...fixedSwitches.map(([name]) => name),
    `--enable-features=${onFeatures.map(([name]) => name).join(",")}`,
    `--disable-features=${offFeatures.map(([name]) => name).join(",")}`, // One list: Chromium uses only the last.
    ...(input.headless ? headlessSwitches.map(([name]) => name) : []),
    ...(input.asRoot ? ["--no-sandbox"] : []),
    ...proxySwitches(input.proxyPort ?? null),
    ...(input.languages?.length ? [`--accept-lang=${input.languages.join(",")}`] : []),
    ...(input.device ? deviceSwitches(input.device, input.headless) : []),
    "about:blank",
  ];
}

function proxySwitches(port: number | null): string[] {
  if (port === null) return [];
  return [
    `--proxy-server=http://127.0.0.1:${port}`,
    // Without this, this machine's addresses bypass the proxy, and a page could scan its services.
    "--proxy-bypass-list=<-loopback>",
    // Only the proxy resolves names.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // The account requests of each start get this name, by which the bridge recognizes and refuses them.
    `--gaia-url=https://${backgroundHost}`,
    "--disable-quic", // The bridge does not carry UDP.
    // The older name with "force-" does nothing and reports no error (actors/profile/README.md, "The bridge").
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  ];
}

/** Switches that show the device in every realm: user agent, pointer, screen. */
export function deviceSwitches({ userAgent, screen }: ShownDevice, headless: boolean): string[] {
  const { width, height, devicePixelRatio, colorDepth, insetTop, insetBottom } = screen;
  const physical = (cssPixels: number) => Math.round(cssPixels * devicePixelRatio);
  const shape = [
    `0,0 ${physical(width)}x${physical(height)}`,
    `devicePixelRatio=${devicePixelRatio}`,
    ...(insetTop > 0 ? [`workAreaTop=${physical(insetTop)}`] : []),
    ...(insetBottom > 0 ? [`workAreaBottom=${physical(insetBottom)}`] : []),
    `colorDepth=${colorDepth}`,
  ].join(" ");
  return [
    `--user-agent=${userAgent}`,
    // A mouse: without one on this machine, pages would see a desktop that cannot point or hover.
    "--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
    // With a window, the screen is the monitor's, so only the window gets the device's size.
    ...(headless
      ? [`--screen-info={${shape}}`, "--start-maximized"]
      : [`--window-position=0,${insetTop}`, `--window-size=${width},${height - insetTop - insetBottom}`]),
  ];
}

export interface EnvironmentInput {
  /** IANA timezone; null for the host's. */
  timezone: string | null;
  /** Locale of the browser's own texts, which `Intl` follows; null, the default, for the host's. */
  uiLocale?: string | null;
  fontsFile?: string | null;
  /** Directory of crash dumps; null, the default, for that of the user's own browser. */
  crashDir?: string | null;
}

/** The service's environment, with the profile's values that only variables can set. */
export function environmentOf(
  own: NodeJS.ProcessEnv,
  { timezone, uiLocale = null, fontsFile = null, crashDir = null }: EnvironmentInput,
): NodeJS.ProcessEnv {
  const env = { ...own };
  if (timezone !== null) env.TZ = timezone;
  if (uiLocale !== null) env.LANGUAGE = uiLocale.replace("-", "_"); // On Linux, `--lang` alone has no effect.
  if (fontsFile !== null) env.FONTCONFIG_FILE = fontsFile;
  if (crashDir !== null) env.BREAKPAD_DUMP_LOCATION = crashDir; // The default is in the user's own browser data.
  return env;
}
