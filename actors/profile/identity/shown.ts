/** The values that a profile's browser shows: the device's stored ones, and those that follow from the installed engine.
 * Not the time zone: launch-by-proxy.ts takes it from the proxy's exit. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Fingerprint } from "../../../protocol/fingerprint.ts";
import type { ProfileSpec } from "../../../protocol/profile-spec.ts";
import type { ProfileOs } from "../../../protocol/scalars.ts";
import type { Protocol } from "../cdp/session.ts";
import type { Brand, EngineFacts } from "./engine.ts";
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

/** The reduced forms of Chromium 110 and later, which hide the system's version. */
const systems: Readonly<Record<ProfileOs, { agent: string; hint: string; platform: string }>> = {
  windows: { agent: "Windows NT 10.0; Win64; x64", hint: "Windows", platform: "Win32" },
  macos: { agent: "Macintosh; Intel Mac OS X 10_15_7", hint: "macOS", platform: "MacIntel" },
  linux: { agent: "X11; Linux x86_64", hint: "Linux", platform: "Linux x86_64" },
};

export async function shownOf(spec: ProfileSpec, device: Fingerprint, facts: EngineFacts): Promise<Shown> {
  const system = systems[spec.os];
  const metadata: Protocol.Emulation.UserAgentMetadata = {
    brands: facts.brands,
    fullVersionList: facts.fullVersionList,
    fullVersion: facts.version,
    platform: system.hint,
    platformVersion: device.platformVersion,
    architecture: device.architecture,
    bitness: device.bitness,
    model: "",
    mobile: false,
    wow64: false,
    formFactors: ["Desktop"],
  };
  const uiLocale = uiLocaleOf(spec.languages);
  const translated = uiLocale === null || (await hasTranslation(facts, uiLocale));
  return {
    device,
    os: spec.os,
    userAgent: facts.userAgent.replace(/\([^)]*\)/, `(${system.agent})`),
    metadata,
    platform: system.platform === facts.platform ? null : system.platform,
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

function hintsOf(metadata: Protocol.Emulation.UserAgentMetadata): ReadonlyMap<string, string> {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
  const flag = (on: boolean) => (on ? "?1" : "?0");
  const list = (brands: readonly Brand[]) =>
    brands.map(({ brand, version }) => `${quoted(brand)};v=${quoted(version)}`).join(", ");
  return new Map([
    ["sec-ch-ua", list(metadata.brands ?? [])],
    ["sec-ch-ua-full-version-list", list(metadata.fullVersionList ?? [])],
    ["sec-ch-ua-full-version", quoted(metadata.fullVersion ?? "")],
    ["sec-ch-ua-mobile", flag(metadata.mobile)],
    ["sec-ch-ua-platform", quoted(metadata.platform)],
    ["sec-ch-ua-platform-version", quoted(metadata.platformVersion)],
    ["sec-ch-ua-arch", quoted(metadata.architecture)],
    ["sec-ch-ua-bitness", quoted(metadata.bitness ?? "")],
    ["sec-ch-ua-model", quoted(metadata.model)],
    ["sec-ch-ua-wow64", flag(metadata.wow64 ?? false)],
    ["sec-ch-ua-form-factors", (metadata.formFactors ?? []).map(quoted).join(", ")],
  ]);
}
