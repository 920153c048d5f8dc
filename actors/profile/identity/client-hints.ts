/** The user agent and the client hints of a device: what its browser says in each request's headers and in `navigator`. */
import type { Fingerprint } from "../../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../../protocol/scalars.ts";
import type { Protocol } from "../cdp/session.ts";
import type { Brand, EngineFacts } from "./engine.ts";

type Metadata = Protocol.Emulation.UserAgentMetadata;

/** The reduced forms of Chromium 110 and later, which hide the system's version. */
const systems: Readonly<Record<ProfileOs, { agent: string; hint: string; platform: string }>> = {
  windows: { agent: "Windows NT 10.0; Win64; x64", hint: "Windows", platform: "Win32" },
  macos: { agent: "Macintosh; Intel Mac OS X 10_15_7", hint: "macOS", platform: "MacIntel" },
  linux: { agent: "X11; Linux x86_64", hint: "Linux", platform: "Linux x86_64" },
};

export function userAgentOf(os: ProfileOs, { userAgent }: EngineFacts): string {
  return userAgent.replace(/\([^)]*\)/, `(${systems[os].agent})`);
}

/** `navigator.platform`. */
export const platformOf = (os: ProfileOs) => systems[os].platform;

export function metadataOf(os: ProfileOs, device: Fingerprint, facts: EngineFacts): Metadata {
  return {
    brands: facts.brands,
    fullVersionList: facts.fullVersionList,
    fullVersion: facts.version,
    platform: systems[os].hint,
    platformVersion: device.platformVersion,
    architecture: device.architecture,
    bitness: device.bitness,
    model: "",
    mobile: false,
    wow64: false,
    formFactors: ["Desktop"],
  };
}

/** The headers. */
export function hintsOf(metadata: Metadata): ReadonlyMap<string, string> {
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
