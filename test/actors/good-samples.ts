/** Samples in the generator's form: one coherent sample per system. */

import type { DeviceSample } from "../../actors/fingerprint/sample.ts";
import type { HostDevice } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";

export const linuxHost: HostDevice = { os: "linux", architecture: "x86" };
export const windowsHost: HostDevice = { os: "windows", architecture: "x86" };

function screenOf(
  width: number,
  height: number,
  scale: number,
  top: number,
  bottom: number,
): DeviceSample["screen"] {
  return {
    width,
    height,
    availTop: top,
    availLeft: 0,
    availWidth: width,
    availHeight: height - top - bottom,
    devicePixelRatio: scale,
    colorDepth: 24,
  };
}

const brands = [
  { brand: "Google Chrome", version: "147" },
  { brand: "Not.A/Brand", version: "8" },
  { brand: "Chromium", version: "147" },
];

function userAgent(system: string): string {
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36`;
}

const hints = { brands, mobile: false, architecture: "x86", bitness: "64" };

export const goodSamples: Record<ProfileOs, DeviceSample> = {
  windows: {
    userAgent: userAgent("Windows NT 10.0; Win64; x64"),
    platform: "Win32",
    maxTouchPoints: 0,
    hardwareConcurrency: 8,
    screen: screenOf(1536, 864, 1.25, 0, 48),
    gpu: {
      vendor: "Google Inc. (Intel)",
      renderer: "ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x00009A49) Direct3D11 vs_5_0 ps_5_0, D3D11)",
    },
    hints: { ...hints, platform: "Windows", platformVersion: "19.0.0" },
  },
  macos: {
    userAgent: userAgent("Macintosh; Intel Mac OS X 10_15_7"),
    platform: "MacIntel",
    maxTouchPoints: 0,
    hardwareConcurrency: 10,
    screen: screenOf(1512, 982, 2, 33, 65),
    gpu: {
      vendor: "Google Inc. (Apple)",
      renderer: "ANGLE (Apple, ANGLE Metal Renderer: Apple M1 Pro, Unspecified Version)",
    },
    hints: { ...hints, architecture: "arm", platform: "macOS", platformVersion: "15.6.1" },
  },
  linux: {
    userAgent: userAgent("X11; Linux x86_64"),
    platform: "Linux x86_64",
    maxTouchPoints: 0,
    hardwareConcurrency: 12,
    screen: screenOf(1920, 1080, 1, 27, 0),
    gpu: {
      vendor: "Google Inc. (Intel)",
      renderer: "ANGLE (Intel, Mesa Intel(R) UHD Graphics (CML GT2), OpenGL ES 3.2)",
    },
    hints: { ...hints, platform: "Linux", platformVersion: "" },
  },
};
