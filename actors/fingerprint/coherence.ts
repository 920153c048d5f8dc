/** Checks whether a device's values fit together and fit its system (actors/profile/README.md, "Devices"). */
import type { Fingerprint, HostDevice } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { desktopMin, isKnownScreen, type Platform, platforms, softwareGpu, taskBarOf } from "./hardware.ts";
import { firstMacosOf, threadsOf } from "./processors.ts";

/** One sentence per fault; empty for a plausible device. `host` is the machine that runs the browser. */
export function incoherences(device: Fingerprint, os: ProfileOs, host: HostDevice): string[] {
  const platform = platforms[os];
  return [
    ...screenFaults(device, os, platform),
    ...barFaults(device, os, platform),
    ...processorFaults(device, os, platform),
    ...gpuFaults(device, os, platform, host),
    ...versionFaults(device, os, platform),
  ];
}

function screenFaults({ screen }: Fingerprint, os: ProfileOs, platform: Platform): string[] {
  const { width, height, devicePixelRatio: scale, colorDepth } = screen;
  const size = `${width}x${height} at ${scale}`;
  return [
    ...(platform.scales.includes(scale) ? [] : [`${os} has no scaling of ${scale}`]),
    ...(Number.isInteger(width * scale) && Number.isInteger(height * scale)
      ? []
      : [`a screen of ${size} has no whole number of pixels`]),
    ...(width >= desktopMin.width && height >= desktopMin.height
      ? []
      : [`a screen of ${size} is no desktop's`]),
    ...(isKnownScreen(os, width, height, scale) ? [] : [`no ${os} machine has a screen of ${size}`]),
    ...(platform.colorDepths.includes(colorDepth) ? [] : [`${os} has no colour depth of ${colorDepth}`]),
  ];
}

function barFaults({ screen, platformVersion }: Fingerprint, os: ProfileOs, platform: Platform): string[] {
  const { insetTop, insetBottom, devicePixelRatio: scale } = screen;
  const within = (value: number, [least, most]: readonly [number, number]) => value >= least && value <= most;
  const whole = Number.isInteger(insetTop * scale) && Number.isInteger(insetBottom * scale);
  const taskBar = taskBarOf(platformVersion);
  return [
    ...(within(insetTop, platform.top) ? [] : [`${os} has no bar of ${insetTop} at the top`]),
    ...(within(insetBottom, platform.bottom) ? [] : [`${os} has no bar of ${insetBottom} at the bottom`]),
    ...(whole ? [] : [`bars of ${insetTop} and ${insetBottom} at ${scale} have no whole number of pixels`]),
    ...(os !== "windows" || insetBottom === 0 || insetBottom === taskBar
      ? []
      : [`the task bar of Windows ${platformVersion} is ${taskBar} high, not ${insetBottom}`]),
  ];
}

function processorFaults(device: Fingerprint, os: ProfileOs, platform: Platform): string[] {
  const { hardwareConcurrency: cores, architecture, gpu } = device;
  const renderer = gpu?.renderer ?? null;
  return [
    ...(platform.architectures.includes(architecture) ? [] : [`${os} does not run on ${architecture}`]),
    ...(threadsOf(renderer).includes(cores)
      ? []
      : [`no machine with ${renderer ?? "any graphics"} has ${cores} threads`]),
  ];
}

function gpuFaults(device: Fingerprint, os: ProfileOs, platform: Platform, host: HostDevice): string[] {
  const { gpu, architecture } = device;
  if (gpu === null) {
    return [
      ...(os === host.os ? [] : [`the graphics of a ${host.os} host are not those of ${os}`]),
      ...(architecture === host.architecture
        ? []
        : [`the host's graphics belong to ${host.architecture}, not to ${architecture}`]),
    ];
  }
  const { vendor, renderer } = gpu;
  const maker = platform.gpuMakers.find((name) => vendor === `Google Inc. (${name})`);
  const form = new RegExp(`^${platform.gpuForm.replace("$", maker ?? "")}$`);
  const isArm = architecture === "arm";
  return [
    ...(softwareGpu.test(renderer) ? [`${renderer} is made in software`] : []),
    ...(maker !== undefined ? [] : [`${os} has no graphics of ${vendor}`]),
    ...(maker === undefined || form.test(renderer)
      ? []
      : [`${os} does not call ${maker} graphics "${renderer}"`]),
    ...(os !== "macos" || isArm === (maker === "Apple")
      ? []
      : [`${renderer} is not in a Mac of ${architecture}`]),
  ];
}

function versionFaults({ platformVersion, gpu }: Fingerprint, os: ProfileOs, platform: Platform): string[] {
  const first = os === "macos" && gpu !== null ? firstMacosOf(gpu.renderer) : 0;
  return [
    ...(platform.version.test(platformVersion) ? [] : [`${os} has no platform version "${platformVersion}"`]),
    ...(Number.parseInt(platformVersion || "0", 10) >= first
      ? []
      : [`${gpu?.renderer} needs macOS ${first}, not ${platformVersion}`]),
  ];
}
