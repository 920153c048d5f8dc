/** Where device samples come from: the Bayesian network that fingerprint-generator ships, kept once it is unpacked. */
import type { FingerprintGenerator } from "fingerprint-generator";
import type { DeviceSource } from "../fingerprint/choose.ts";
import type { DeviceSample } from "../fingerprint/sample.ts";

let generator: Promise<FingerprintGenerator> | null = null;

/** Unpacking takes 0.2 s and 20 MB, so it is done for the first device, and once a thread. */
async function unpacked(): Promise<FingerprintGenerator> {
  const { FingerprintGenerator } = await import("fingerprint-generator");
  return new FingerprintGenerator({ browsers: ["chrome"], devices: ["desktop"], locales: ["en-US"] });
}

export async function deviceSource(): Promise<DeviceSource> {
  generator ??= unpacked();
  const samples = await generator;
  return {
    random: Math.random, // The generator draws with it too: what was drawn is stored, and never drawn again.
    draw: (os) => sampleOf(samples.getFingerprint({ operatingSystems: [os] }).fingerprint),
  };
}

type Generated = ReturnType<FingerprintGenerator["getFingerprint"]>["fingerprint"];

/** Its types promise more than its data keeps: client hints, graphics and the touch points can be missing. */
function sampleOf({ navigator, screen, videoCard }: Generated): DeviceSample {
  const hints: Generated["navigator"]["userAgentData"] | null = navigator.userAgentData;
  const gpu: Generated["videoCard"] | null = videoCard;
  return {
    userAgent: navigator.userAgent,
    platform: navigator.platform,
    maxTouchPoints: navigator.maxTouchPoints ?? 0,
    hardwareConcurrency: navigator.hardwareConcurrency,
    screen,
    gpu,
    hints: hints === null ? null : { ...hints, brands: hints.brands ?? [] },
  };
}
