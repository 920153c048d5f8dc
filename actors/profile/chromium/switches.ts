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
  /** Of this launch only. */
  more?: readonly string[];
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
    "the only control channel, in binary (cdp/cbor.ts): no port that a page could reach, and the browser exits when the pipe closes",
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
    "cookies are encrypted with a key that every machine has, not the desktop's keyring",
  ],
  ["--use-mock-keychain", "the same on macOS, where the keychain would ask the user"],
  ["--disable-background-networking", "no traffic that the user did not cause"],
  ["--disable-component-update", "no component downloads, and no work for them at the start"],
  [
    "--disable-component-extensions-with-background-pages",
    "the browser's own extensions are not needed, so a start takes less processor time",
  ],
  ["--disable-sync", "no synchronization with an account"],
  ["--disable-domain-reliability", "no reports about failed loads"],
  ["--disable-client-side-phishing-detection", "no model downloads and no page scoring"],
  ["--no-pings", "no hyperlink auditing"],
  ["--metrics-recording-only", "metrics are never sent"],
  [
    "--disable-backgrounding-occluded-windows",
    "a covered window keeps drawing, because verbs wait for frames",
  ],
  [
    "--disable-renderer-backgrounding",
    "a background tab keeps its priority, because scripts drive many windows",
  ],
  ["--disable-background-timer-throttling", "timers of background pages keep their rate"],
  ["--disable-hang-monitor", "no dialog over a page that is busy"],
  ["--disable-prompt-on-repost", "no dialog when a form's result is loaded again"],
  ["--noerrdialogs", "no native dialog when the profile cannot be read"],
];

/** Switches of launches without a window. Chromium still draws its own controls there, as pages see the space for them. */
const headlessSwitches: readonly (readonly [name: string, reason: string])[] = [
  ["--headless=new", "no window"],
  [
    "--animation-duration-scale=0",
    "no animation of the browser's own controls, which saves processor time; pages' animations are not affected",
  ],
];

const offFeatures: readonly (readonly [name: string, reason: string])[] = [
  [
    "SpareRendererForSitePerProcess",
    "no spare renderer, so that the page answers earlier and the browser uses less memory",
  ],
  [
    "WebUIOmniboxPopup",
    "the address bar's list is drawn natively, without a renderer of its own, which saves processor time at the start",
  ],
  ["WebUIOmniboxAimPopup", "the same renderer, for its other page"],
  ["Translate", "no bar that moves the page, and no language model"],
  ["OptimizationHints", "no traffic that the user did not cause"],
  ["MediaRouter", "no search for cast devices in the local network"],
  ["NetworkTimeServiceQuerying", "no request for the time at each start and bad certificate"],
  ["EnableHangWatcher", "no thread that wakes each process for a report that is never sent"],
  ["EnableHangWatcherOnGpuProcess", "the same for the process that draws"],
  ["DisconnectWebSocketOnBFCache", "a frozen page keeps its WebSockets, as a background tab does"],
  ["LoadingTasksUnfreezable", "what a frozen page loads waits with it; else it would never end"],
];

const onFeatures: readonly (readonly [name: string, reason: string])[] = [
  [
    "NetworkServiceInProcess2",
    "the network service is a thread, which saves processor time; its process has no sandbox on Linux anyway",
  ],
  [
    "PartitionAllocMemoryReclaimer:interval/20s",
    "each process looks for freed memory every 20 s; every 4 s is most of what an idle browser does",
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
    ...(input.more ?? []),
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
    // Also of a maximized window: a minimized one has its size before it was maximized, and pages would see it change.
    `--window-position=0,${insetTop}`,
    `--window-size=${width},${height - insetTop - insetBottom}`,
    // With a window, the screen is the monitor's.
    ...(headless ? [`--screen-info={${shape}}`, "--start-maximized"] : []),
  ];
}

export interface EnvironmentInput {
  /** IANA timezone; null for the host's. */
  timezone: string | null;
  /** Locale of the browser's own texts, which `Intl` follows; null, the default, for the host's. */
  uiLocale?: string | null;
  fontsFile?: string | null;
  /** Directory for the front of PATH (schemes.ts). */
  schemesPath?: string | null;
  /** Directory of crash dumps; null, the default, for that of the user's own browser. */
  crashDir?: string | null;
}

/** The service's environment, with the profile's values that only variables can set. */
export function environmentOf(
  own: NodeJS.ProcessEnv,
  { timezone, uiLocale = null, fontsFile = null, schemesPath = null, crashDir = null }: EnvironmentInput,
): NodeJS.ProcessEnv {
  const env = { ...own };
  if (timezone !== null) env.TZ = timezone;
  if (uiLocale !== null) env.LANGUAGE = uiLocale.replace("-", "_"); // On Linux, `--lang` alone has no effect.
  if (fontsFile !== null) env.FONTCONFIG_FILE = fontsFile;
  if (schemesPath !== null) env.PATH = `${schemesPath}:${env.PATH ?? "/usr/bin:/bin"}`;
  if (crashDir !== null) env.BREAKPAD_DUMP_LOCATION = crashDir; // The default is in the user's own browser data.
  return env;
}
