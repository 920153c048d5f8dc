/** Draws device samples from the Bayesian network that fingerprint-generator ships. */
import type { FingerprintGenerator } from "fingerprint-generator";
import type { DeviceSource } from "../fingerprint/choose.ts";
import type { DeviceSample } from "../fingerprint/sample.ts";

let generator: Promise<FingerprintGenerator> | null = null;

/** Unpacking is slow and takes memory: do it only when needed, and once per thread. */
async function unpacked(): Promise<FingerprintGenerator> {
  const { FingerprintGenerator } = await import("fingerprint-generator");
  return new FingerprintGenerator({ browsers: ["chrome"], devices: ["desktop"], locales: ["en-US"] });
}

export async function deviceSource(): Promise<DeviceSource> {
  generator ??= unpacked();
  const samples = await generator;
  return {
    random: Math.random, // Needs no seed: the generator uses it too, and drawn devices are stored.
    draw: (os) => sampleOf(samples.getFingerprint({ operatingSystems: [os] }).fingerprint),
  };
}

type Generated = ReturnType<FingerprintGenerator["getFingerprint"]>["fingerprint"];

/** The declared types are too strict: client hints, graphics and touch points can be missing. */
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
