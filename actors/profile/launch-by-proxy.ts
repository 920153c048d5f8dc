/** Launches a profile with a proxy. Measures the exit meanwhile: a dead proxy fails the launch, another timezone restarts the browser. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { ProfileSpecProxy } from "../../protocol/profile-spec.ts";
import { knownTimezone } from "../../protocol/timezones.ts";
import { type ExitInspection, inspectExit } from "../proxy-exit/measure.ts";
import { type LaunchInput, type OpenBrowser, openBrowser } from "./open-browser.ts";
import { type Bridge, openBridge } from "./proxy/bridge.ts";

export interface OpenProfile extends OpenBrowser {
  bridge: Bridge | null;
}

/** As openBrowser. Also throws `conflict` when nothing can be loaded through the proxy. */
export async function openProfile(input: LaunchInput): Promise<OpenProfile> {
  const { proxy } = input.spec;
  if (proxy === null) return { ...(await openBrowser(input)), bridge: null };
  const bridge = await openBridge(proxy.upstream);
  try {
    const browser = await openMeasured({ ...input, proxyPort: bridge.port }, proxy);
    const withBridge = (end: () => Promise<void>) => async () => {
      try {
        await end();
      } finally {
        await bridge.close();
      }
    };
    return { ...browser, bridge, close: withBridge(browser.close), discard: withBridge(browser.discard) };
  } catch (error) {
    await bridge.close();
    throw error;
  }
}

/** The browser was started in another timezone than the exit's. A restart is needed, because TZ is in the environment. */
class ZoneMoved extends Error {
  readonly timezone: string;
  constructor(timezone: string) {
    super(`the exit is in ${timezone}`);
    this.timezone = timezone;
  }
}

async function openMeasured(input: LaunchInput, proxy: ProfileSpecProxy): Promise<OpenBrowser> {
  const over = new AbortController();
  const giveUp = AbortSignal.any([input.signal, over.signal, AbortSignal.timeout(limits.exitAtLaunchMs)]);
  const timeoutMs = Math.min(proxy.sources.timeoutMs, limits.echoAtLaunchMs);
  const inspecting = inspectExit(proxy.upstream, { ...proxy.sources, timeoutMs }, giveUp);
  try {
    return await openWith(input, inspecting);
  } catch (error) {
    if (!(error instanceof ZoneMoved)) throw error;
    const spec = { ...input.spec, timezone: error.timezone };
    return await openWith({ ...input, spec }, inspecting);
  } finally {
    over.abort();
  }
}

/** Opens the browser while the exit is measured, and stops at once when the measurement rules it out. */
async function openWith(input: LaunchInput, inspecting: Promise<ExitInspection>): Promise<OpenBrowser> {
  const wrong = new AbortController();
  const inspected = inspecting.then((found) => {
    const objection = objectionTo(found, input);
    if (objection !== null) wrong.abort(objection);
    return found;
  });
  inspected.catch(() => {}); // A browser that does not start is the error to report.
  const signal = AbortSignal.any([input.signal, wrong.signal]);
  const browser = await openBrowser({ ...input, signal });
  const { exit, error } = await inspected;
  if (signal.aborted) {
    await browser.takeBack();
    throw signal.reason;
  }
  const measurement =
    exit === null ? { exit, error: error ?? "its exit could not be measured" } : { exit, error: null };
  return { ...browser, launched: { ...browser.launched, exit: measurement } };
}

function objectionTo(found: ExitInspection, { spec, options }: LaunchInput): Error | null {
  if (found.proxyDead) return new Fault("conflict", found.error ?? "the proxy is dead");
  const zone = found.exit?.timezone ?? null;
  if (options.diagnostic || zone === null || zone === (knownTimezone(spec.timezone) ?? spec.timezone))
    return null;
  return new ZoneMoved(zone);
}
