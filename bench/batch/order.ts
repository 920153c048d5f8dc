/** Input and output of a peer's process in suite `batch`. */
import { deviceSwitches, type ShownDevice } from "../../actors/profile/chromium/switches.ts";

export interface PeerOrder {
  devices: ShownDevice[];
  concurrency: number;
  chromiumPath: string;
  /** For user data directories and screenshots. The caller removes it. */
  tempDir: string;
  variables: Record<string, string>;
}

export interface PeerReport {
  /** From the first queued job to the last closed browser. */
  ms: number;
  totals: number[];
  errors: string[];
}

/** Chromium requires it for root. */
export const noSandbox: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** Gives a peer's browser the profile's screen size, because drawing costs grow with it. */
export function screenSwitches(device: ShownDevice | undefined): string[] {
  return device === undefined ? [] : deviceSwitches(device, true);
}
