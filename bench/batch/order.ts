/** What a peer's process is asked to do in suite `batch`, and what it says of it. */
import { deviceSwitches, type ShownDevice } from "../../actors/profile/chromium/switches.ts";

/** One job for each device. */
export interface PeerOrder {
  devices: ShownDevice[];
  concurrency: number;
  chromiumPath: string;
  /** For user data directories and pictures; whoever gives it removes it. */
  tempDir: string;
  variables: Record<string, string>;
}

export interface PeerReport {
  /** From the first job queued to the last browser closed. */
  ms: number;
  totals: number[];
  errors: string[];
}

/** Chromium needs it of root. */
export const noSandbox: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** A peer's browser draws a page as large as the profile's: a screen of four times the size is four times the drawing. */
export function screenSwitches(device: ShownDevice | undefined): string[] {
  return device === undefined ? [] : deviceSwitches(device, true);
}
