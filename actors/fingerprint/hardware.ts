/** Real hardware as data: panels, scalings, bars and graphics of each system. */
import type { ProfileOs } from "../../protocol/scalars.ts";

/** Panel sizes of Windows and Linux machines, in device pixels. */
const pcPanels = `
  1280x720 1280x800 1280x1024 1366x768 1440x900 1600x900 1600x1200 1680x1050 1920x1080 1920x1200 1920x1280 2048x1152
  2160x1350 2160x1440 2240x1400 2256x1504 2304x1440 2496x1664 2520x1680 2560x1080 2560x1440 2560x1600 2736x1824 2880x1620
  2880x1800 2880x1920 3000x2000 3072x1920 3120x2080 3200x1800 3200x2000 3240x2160 3440x1440 3456x2160 3840x1080 3840x1600
  3840x2160 3840x2400 5120x1440 5120x2160 5120x2880`;

/** Mac screens in points: `x` at scale 1, `*` at scale 2. */
const macScreens = `
  1280*800 1440*900 1680*1050 1280*832 1440*932 1470*956 1680*1087 1710*1107 1710*1112 1352*878 1512*982 1800*1169 1496*967
  1728*1117 2056*1329 1536*960 1792*1120 2048*1280 2048*1152 2240*1260 2560*1440 2880*1620 3008*1692 3200*1800 1920*1080
  1920*1200 1440x900 1680x1050 1920x1080 1920x1200 2560x1080 2560x1440 2560x1600 3440x1440 3840x1600 3840x2160 5120x1440
  5120x2160`;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const panelsOf: Record<ProfileOs, ReadonlySet<string>> = {
  windows: words(pcPanels),
  linux: words(pcPanels),
  macos: words(macScreens),
};

/** True if this screen exists: width and height in CSS pixels, `scale` is the device pixel ratio. */
export function isKnownScreen(os: ProfileOs, width: number, height: number, scale: number): boolean {
  const name =
    os === "macos" ? [width, height].join(scale === 2 ? "*" : "x") : `${width * scale}x${height * scale}`;
  return panelsOf[os].has(name);
}

export const desktopMin = { width: 1280, height: 720 };

export interface Platform {
  scales: readonly number[];
  colorDepths: readonly number[];
  /** Minimum and maximum height of the top and bottom bars, in CSS pixels. */
  top: readonly [number, number];
  bottom: readonly [number, number];
  architectures: readonly string[];
  version: RegExp;
  /** GPU makers as ANGLE names them, and the renderer's pattern; `$` is the maker. */
  gpuMakers: readonly string[];
  gpuForm: string;
  /** Stock Chromium's names for the system: `navigator.platform`, UA-CH `platform`, and the user agent part. */
  navigatorPlatform: string;
  uaPlatform: string;
  userAgentPart: string;
}

export const platforms: Record<ProfileOs, Platform> = {
  windows: {
    scales: [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3],
    colorDepths: [24, 30, 32],
    top: [0, 0],
    bottom: [0, 48],
    // Windows on ARM has other graphics (Adreno) than the samples.
    architectures: ["x86"],
    // Windows 10, and Windows 11 21H2, 22H2 and 24H2.
    version: /^(10|14|15|19)\.0\.0$/,
    gpuMakers: ["Intel", "AMD", "NVIDIA"],
    gpuForm: "ANGLE \\($, .+ Direct3D11 vs_5_0 ps_5_0, D3D11\\)",
    navigatorPlatform: "Win32",
    uaPlatform: "Windows",
    userAgentPart: "Windows NT 10.0; Win64; x64",
  },
  macos: {
    scales: [1, 2],
    colorDepths: [24, 30],
    // The menu bar is 24 or 25 pixels high, more beside a notch; the dock has any height.
    top: [24, 40],
    bottom: [0, 110],
    architectures: ["arm", "x86"],
    version: /^(12|13|14|15|26)\.\d{1,2}\.\d{1,2}$/,
    gpuMakers: ["Apple", "Intel", "AMD"],
    gpuForm: "ANGLE \\($, ANGLE Metal Renderer: .+\\)",
    navigatorPlatform: "MacIntel",
    uaPlatform: "macOS",
    userAgentPart: "Macintosh; Intel Mac OS X 10_15_7",
  },
  linux: {
    scales: [1, 1.25, 1.5, 1.75, 2],
    colorDepths: [24, 30],
    top: [0, 40],
    bottom: [0, 60],
    architectures: ["x86", "arm"],
    version: /^$/,
    gpuMakers: ["Intel", "AMD", "NVIDIA Corporation"],
    gpuForm: "ANGLE \\($, .+, OpenGL( ES)? [\\d.]+.*\\)",
    navigatorPlatform: "Linux x86_64",
    uaPlatform: "Linux",
    userAgentPart: "X11; Linux x86_64",
  },
};

/** Graphics of software renderers and virtual machines, which ordinary desktops do not have. */
export const softwareGpu =
  /swiftshader|basic render|llvmpipe|softpipe|virgl|svga3d|vmware|virtualbox|parallels|hyper-v|qxl/i;

/** Top and bottom bars in CSS pixels: plain Linux window manager, GNOME, Xfce, Cinnamon, KDE. */
export const linuxBars: readonly (readonly [number, number])[] = [
  [0, 0],
  [27, 0],
  [32, 0],
  [24, 0],
  [0, 28],
  [0, 40],
  [0, 44],
  [0, 48],
];

/** The height of the task bar of Windows 10 or 11, in CSS pixels. A bar that hides itself has none. */
export function taskBarOf(platformVersion: string): number {
  return platformVersion.startsWith("10.") ? 40 : 48;
}
