/** The command line and environment of the browser: every switch, and why it is there. */
import type { ScreenShape } from "../../../protocol/fingerprint.ts";
import { backgroundHost } from "../proxy/background-hosts.ts";

export interface SwitchInput {
  userDataDir: string;
  /** Without a window: asked for, or for want of a display. */
  headless: boolean;
  /** The sandbox does not start as root. */
  asRoot: boolean;
  /** Port of the bridge on 127.0.0.1 that everything goes out through; null, the default: out directly. */
  proxyPort?: number | null;
  /** What `navigator.languages` and `Accept-Language` say; none, the default: the host's. */
  languages?: readonly string[];
  /** The device that the profile shows; null, the default: the host. */
  device?: ShownDevice | null;
}

/** What a switch can show of a device in every realm, from the first byte. */
export interface ShownDevice {
  userAgent: string;
  screen: ScreenShape;
}

/**
 * Switches of every launch. Tried and left out, as they made the start no faster (medians of 12, interleaved, until the first
 * page answers): `--disable-extensions`, `--disable-gpu`, `--disable-breakpad`, `--disable-default-apps` (±10 ms, noise),
 * `--no-zygote` (+90 ms), no start page given (+45 ms), a user data directory copied from a used one at the launch (+40 ms for
 * the copying of 150 files; blank.ts does it ahead) or from its three preference files only (−8 ms, within noise, and it would give
 * profiles common ids).
 */
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

/** Of launches without a window. The browser draws its tab strip, its buttons and its bubbles all the same, as pages find room for them. */
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

/** The arguments of one launch. The first tab is `about:blank`: without it the new-tab page is built first. */
export function switchesOf(input: SwitchInput): string[] {
  return [
    `--user-data-dir=${input.userDataDir}`,
    ...fixedSwitches.map(([name]) => name),
    `--enable-features=${onFeatures.map(([name]) => name).join(",")}`,
    `--disable-features=${offFeatures.map(([name]) => name).join(",")}`, // One list: a second would replace the first.
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
    // Without it, loads from this machine's own addresses go direct: a page could look what else runs here.
    "--proxy-bypass-list=<-loopback>",
    // Nothing resolves a name here, whatever hints a page gives; the proxy does.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // The browser asks for accounts at every start. Under this name its bridge knows its calls from a page's, and refuses them.
    `--gaia-url=https://${backgroundHost}`,
    "--disable-quic", // UDP, which no bridge carries.
    // Its older name, with "force-" before it, is taken without a word and does nothing: addresses leaked (actors/profile/README.md, "The bridge").
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  ];
}

/** What shows the device in every realm from the first byte: its name to servers, its pointer, its screen. */
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
    // A mouse: without it a page on a machine that has none sees a desktop that cannot point or hover.
    "--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
    // With a window the screen is the monitor's; the window is given the size that it would have on the device.
    ...(headless
      ? [`--screen-info={${shape}}`, "--start-maximized"]
      : [`--window-position=0,${insetTop}`, `--window-size=${width},${height - insetTop - insetBottom}`]),
  ];
}

export interface EnvironmentInput {
  /** IANA zone for every realm from the first byte; null: the host's. */
  timezone: string | null;
  /** Of the browser's translations, which `Intl` follows; null, the default: the host's. */
  uiLocale?: string | null;
  /** A fontconfig file; null, the default: the host's. */
  fontsFile?: string | null;
  /** Where dumps of crashes go; null, the default: the user's own browser's. */
  crashDir?: string | null;
}

/** The browser's environment: the service's own, and of the profile's values those that only it can give. */
export function environmentOf(
  own: NodeJS.ProcessEnv,
  { timezone, uiLocale = null, fontsFile = null, crashDir = null }: EnvironmentInput,
): NodeJS.ProcessEnv {
  const env = { ...own };
  if (timezone !== null) env.TZ = timezone;
  if (uiLocale !== null) env.LANGUAGE = uiLocale.replace("-", "_"); // On Linux `--lang` alone does nothing.
  if (fontsFile !== null) env.FONTCONFIG_FILE = fontsFile;
  if (crashDir !== null) env.BREAKPAD_DUMP_LOCATION = crashDir; // By default it is beside the user's own browser, whatever the profile's directory.
  return env;
}
