/** `troupe serve`: runs the service until a signal. */
import { resolve } from "node:path";
import { defaultDataDir } from "../instance.ts";
import { hasDisplay } from "../machine.ts";
import { type Service, startService } from "../startup.ts";
import type { Stopped } from "../stopping.ts";
import { complain, dataHint, exitCodes, failed, say } from "./output.ts";

export interface ServeFlags {
  data?: string;
  api?: string;
  port?: number;
  maxBrowsers?: number;
  rateLimit?: number;
  mint?: string;
  window?: boolean;
  json?: boolean;
}

/** Returns once the service runs; a signal ends the process. Reports a failed start here, because this bundle has its own `Fault` class. */
export async function serve(flags: ServeFlags): Promise<number> {
  try {
    await start(flags);
    return exitCodes.ok;
  } catch (error) {
    return failed(error);
  }
}

async function start(flags: ServeFlags): Promise<void> {
  const dataDir = resolve(flags.data ?? defaultDataDir());
  const starting = startService({
    dataDir,
    apiOn: flags.api === "on",
    port: flags.port ?? null,
    browsersMax: flags.maxBrowsers ?? null,
    expensiveCallsMax: flags.rateLimit ?? null,
    mint: flags.mint ?? null,
  });
  endOnSignal(starting);
  const service = await starting;
  if (flags.json === true) say(JSON.stringify(readyRecord(service)));
  else announce(service, dataDir);
  if (flags.window === true && hasDisplay()) {
    // The service works without the window, so only report the error.
    await service.showWindow().catch((error: unknown) => {
      complain(`${error instanceof Error ? error.message : error}; the link works in any browser`);
    });
  }
}

function readyRecord(service: Service): object {
  const { apiUrl, appUrl, token } = service;
  return { ready: true, apiUrl, appUrl, ...(token === null ? {} : { token }), pid: process.pid };
}

function announce(service: Service, dataDir: string): void {
  say(`Troupe is running (pid ${process.pid}, data in ${dataDir}). Ctrl-C stops it.`);
  // Without it, a command means the service on the platform's directory.
  const here = dataDir === defaultDataDir() ? "" : dataHint(dataDir);
  say(`Control page (this link works once; another with: troupe open${here}): ${service.appUrl}`);
  if (service.apiUrl === null) say(`The API is off. Switch it on with: troupe api on${here}`);
  else say(`API: ${service.apiUrl}/v1   mint a token with: troupe token mint NAME${here}`);
  if (service.token !== null) say(`Token (shown once): ${service.token}`);
}

/** npm and the terminal both send Ctrl-C: a signal this soon is the same one. */
const againMs = 1_000;

/** The first signal stops the service in order; a second one kills the browsers that are still open. */
function endOnSignal(starting: Promise<Service>): void {
  let askedAt: number | null = null;
  const end = async (signal: NodeJS.Signals) => {
    if (askedAt !== null) {
      if (performance.now() - askedAt > againMs) (await starting).hurry();
      return;
    }
    askedAt = performance.now();
    if (process.stderr.isTTY)
      complain(`${signal}: closing browsers and saving; another signal kills the browsers`);
    const service = await starting;
    try {
      leave(await service.stop());
    } catch (error) {
      complain(`the stop was not clean: ${error instanceof Error ? error.message : error}`);
      process.exit(exitCodes.failed);
    }
  };
  // The caller of `start` reports a failed start and ends the process.
  const onSignal = (signal: NodeJS.Signals) => void end(signal).catch(() => {});
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(signal, onSignal);
  // By default SIGUSR1 opens Node's inspector in the process that has the key of the secrets, and SIGUSR2 ends it without a stop.
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
}

/** A normal exit would wait for the stuck thread for ever. */
function leave({ stuck }: Stopped): void {
  if (!stuck) process.exit(exitCodes.ok);
  complain("a thread is stuck in a system call; killing the process. Everything is saved.");
  process.kill(process.pid, "SIGKILL");
}
