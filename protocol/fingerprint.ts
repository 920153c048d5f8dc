/** The device that a profile shows: sampled once when the profile is created, stored, never sampled again (actors/profile/README.md, "Devices"). */
import type { tags } from "typia";
import type { Count, ProfileOs } from "./scalars.ts";

/** Sizes in CSS pixels; width and height times `devicePixelRatio` are integers (actors/profile/README.md, "Devices"). */
export interface ScreenShape {
  width: Count;
  height: Count;
  devicePixelRatio: number & tags.Minimum<0.5> & tags.Maximum<5>;
  colorDepth: 24 | 30 | 32;
  /** What the system's bars take away at the top (macOS menu bar) and at the bottom (task bar, dock). */
  insetTop: Count;
  insetBottom: Count;
}

/** The strings that WebGL's UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL give. */
export interface Gpu {
  vendor: string;
  renderer: string;
}

/**
 * Only what is the device's own. What is the browser's (user agent, brands, versions) follows from the installed engine at
 * each launch; `deviceMemory` is the host's (actors/profile/README.md, "What stock Chromium cannot disguise").
 */
export interface Fingerprint {
  screen: ScreenShape;
  hardwareConcurrency: Count;
  /** Null: the host's own. */
  gpu: Gpu | null;
  /** UA-CH `architecture` and `bitness`: "x86" or "arm", "64". */
  architecture: "x86" | "arm";
  bitness: "64";
  /** UA-CH `platformVersion`, for example "15.0.0"; "" on linux. */
  platformVersion: string;
}

/** What a sampled device takes over from the machine that shows it: a profile of the same system is native (actors/profile/README.md, "Where values come from"). */
export interface HostDevice {
  os: ProfileOs;
  architecture: "x86" | "arm";
}
