/** The values that a profile's browser shows: the device's stored ones, and those that follow from the installed engine.
 * Not the time zone: launch-by-proxy.ts takes it from the proxy's exit. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Fingerprint } from "../../../protocol/fingerprint.ts";
import type { ProfileSpec } from "../../../protocol/profile-spec.ts";
import type { ProfileOs } from "../../../protocol/scalars.ts";
import type { Protocol } from "../cdp/session.ts";
import { hintsOf, metadataOf, platformOf, userAgentOf } from "./client-hints.ts";
import type { EngineFacts } from "./engine.ts";
import { uiLocaleOf } from "./ui-locale.ts";

export interface Shown {
  device: Fingerprint;
  os: ProfileOs;
  userAgent: string;
  metadata: Protocol.Emulation.UserAgentMetadata;
  /** `navigator.platform`; null when the host's is right. */
  platform: string | null;
  hints: ReadonlyMap<string, string>;
  performanceTier: "low" | "mid" | "high" | "ultra";
  /** Locale of `Intl`; null when the translations determine it, or without languages. */
  localeOverride: string | null;
}

export async function shownOf(spec: ProfileSpec, device: Fingerprint, facts: EngineFacts): Promise<Shown> {
  const metadata = metadataOf(spec.os, device, facts);
  const platform = platformOf(spec.os);
  const uiLocale = uiLocaleOf(spec.languages);
  const translated = uiLocale === null || (await hasTranslation(facts, uiLocale));
  return {
    device,
    os: spec.os,
    userAgent: userAgentOf(spec.os, facts),
    metadata,
    platform: platform === facts.platform ? null : platform,
    hints: hintsOf(metadata),
    performanceTier: performanceTierOf(device.hardwareConcurrency),
    localeOverride: translated ? null : uiLocale,
  };
}

/** Checked at each launch: the package of translations may be installed later. */
async function hasTranslation({ localesDir }: EngineFacts, uiLocale: string): Promise<boolean> {
  if (localesDir === null) return false;
  const found = await stat(join(localesDir, `${uiLocale}.pak`)).catch(() => null);
  return found !== null;
}

/** Our own limits: the browser's also depend on the processor's speed. */
function performanceTierOf(cores: number): Shown["performanceTier"] {
  if (cores <= 4) return "low";
  if (cores <= 8) return "mid";
  return cores <= 16 ? "high" : "ultra";
}
