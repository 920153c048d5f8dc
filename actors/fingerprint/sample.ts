/** Device samples from the generator: what makes one unfit, and how a fit one becomes a device. */
import type { Fingerprint, HostDevice } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { platforms, taskBarOf } from "./hardware.ts";
import { threadsOf } from "./processors.ts";

/** The browser values only show whether the sample is from a real browser; they are not kept. */
export interface DeviceSample {
  userAgent: string;
  platform: string;
  maxTouchPoints: number;
  hardwareConcurrency: number;
  screen: {
    width: number;
    height: number;
    availTop: number;
    availLeft: number;
    availWidth: number;
    availHeight: number;
    devicePixelRatio: number;
    colorDepth: number;
  };
  gpu: { vendor: string; renderer: string } | null;
  hints: {
    brands: { brand: string; version: string }[];
    mobile: boolean;
    platform: string;
    architecture: string;
    bitness: string;
    platformVersion: string;
  } | null;
}

/** Samples of earlier browsers are few, and most come from automated ones. */
const chromeMajorMin = 140;

/** Why a sample is not from an ordinary Chrome on this system (actors/profile/README.md, "Devices"). Empty if it is. */
export function sampleFaults(sample: DeviceSample, os: ProfileOs): string[] {
  const platform = platforms[os];
  const { userAgent, hints, screen } = sample;
  const major = Number(/\bChrome\/(\d+)\./.exec(userAgent)?.[1] ?? 0);
  const chrome = hints?.brands.find(({ brand }) => brand === "Google Chrome");
  const onMainScreen = screen.availLeft === 0 && screen.availWidth === screen.width;
  return [
    ...(major >= chromeMajorMin ? [] : [`the browser is Chrome ${major}`]),
    ...(userAgent.includes(platform.userAgentPart) ? [] : [`the user agent is not of ${os}`]),
    ...(/Headless|Edg|OPR|Electron/.test(userAgent) ? ["the user agent names another browser"] : []),
    ...(sample.platform === platform.navigatorPlatform ? [] : [`the platform is ${sample.platform}`]),
    ...(sample.maxTouchPoints === 0
      ? []
      : [`${sample.maxTouchPoints} touch points on a desktop without a touch screen`]),
    ...(onMainScreen ? [] : ["the window stood on a second screen, or beside a bar at its side"]),
    ...(sample.gpu === null ? ["it has no graphics"] : []),
    ...(hints === null ? ["it has no client hints"] : []),
    ...(hints?.platform === platform.uaPlatform ? [] : [`the client hints say ${hints?.platform}`]),
    ...(hints?.mobile === true ? ["the client hints say that it is mobile"] : []),
    ...(chrome === undefined ? ["the brand is not Google Chrome"] : []),
    ...(chrome === undefined || Number(chrome.version) === major
      ? []
      : [`Chrome ${major} in the user agent is ${chrome.version} in the client hints`]),
    ...(hints?.bitness === "64" ? [] : [`the client hints say ${hints?.bitness} bits`]),
  ];
}

/**
 * The device of a sample; null if a value is unknown. The generator draws values independently, so dependent ones are adjusted: threads
 * to the GPU, the task bar to the Windows version. On the host's own system the GPU and architecture are the host's.
 */
export function deviceOf(
  sample: DeviceSample,
  os: ProfileOs,
  host: HostDevice,
  random: () => number,
): Fingerprint | null {
  const { screen, hints, hardwareConcurrency } = sample;
  const native = os === host.os;
  const gpu = native ? null : sample.gpu;
  const architecture = native
    ? host.architecture
    : architectures.find((name) => name === hints?.architecture);
  const colorDepth = colorDepths.find((depth) => depth === screen.colorDepth);
  const cores = threadsOf(gpu?.renderer ?? null);
  const threads = cores.includes(hardwareConcurrency)
    ? hardwareConcurrency
    : cores[Math.floor(random() * cores.length)];
  const insetTop = screen.availTop;
  const insetBottom = screen.height - screen.availHeight - screen.availTop;
  const platformVersion = hints?.platformVersion ?? "";
  if (architecture === undefined || colorDepth === undefined || threads === undefined) return null;
  if (insetTop < 0 || insetBottom < 0) return null;
  return {
    screen: {
      width: screen.width,
      height: screen.height,
      devicePixelRatio: screen.devicePixelRatio,
      colorDepth,
      insetTop,
      insetBottom: os === "windows" && insetBottom > 0 ? taskBarOf(platformVersion) : insetBottom,
    },
    hardwareConcurrency: threads,
    gpu: gpu === null ? null : { vendor: gpu.vendor, renderer: gpu.renderer },
    architecture,
    bitness: "64",
    platformVersion,
  };
}

const architectures = ["x86", "arm"] as const;
const colorDepths = [24, 30, 32] as const;
