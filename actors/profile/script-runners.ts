/** The profile's runners: one may wait for the next script, and those that a run has left are ended in the background. */
import type { WarmRunner } from "../../protocol/profile-spec.ts";
import type { Log } from "../kernel/log.ts";
import { type Isolation, isolationHere } from "../script/isolation.ts";
import { type RunnerProcess, startRunner } from "../script/spawn.ts";

export class ScriptRunners {
  readonly #parts: { log: Log; uploadsDir: string; tempDir: string };
  readonly #leaving = new Set<Promise<void>>();
  #isolation: Promise<Isolation> | null = null;
  #spare: { kind: WarmRunner; runner: Promise<RunnerProcess | null> } | null = null;

  constructor(parts: { log: Log; uploadsDir: string; tempDir: string }) {
    this.#parts = parts;
  }

  async #start(kind: WarmRunner): Promise<RunnerProcess> {
    const { uploadsDir, tempDir } = this.#parts;
    this.#isolation ??= isolationHere(tempDir);
    return startRunner(kind, await this.#isolation, { uploadsDir, tempDir });
  }

  /** Starts a runner in advance, unless one waits already. Resolves when it is ready or has failed. */
  async warm(kind: WarmRunner): Promise<void> {
    if (this.#spare !== null) return;
    const runner = this.#start(kind).catch((error: unknown) => {
      this.#parts.log.warn("no script process could be started in advance", { error });
      return null;
    });
    this.#spare = { kind, runner };
    const started = await runner;
    if (started !== null) await Promise.race([started.ready, started.exited]);
  }

  /** The waiting runner if it is of this kind and still runs, or a new one. */
  async take(kind: WarmRunner): Promise<RunnerProcess> {
    const warm = this.#spare;
    if (warm?.kind.library !== kind.library || warm.kind.approved !== kind.approved) return this.#start(kind);
    this.#spare = null;
    const runner = await warm.runner;
    if (runner !== null && !(await hasExited(runner))) return runner;
    this.leave(warm.runner);
    return this.#start(kind);
  }

  /** Discards a runner in the background: a run's outcome does not wait for it, but the end of the browser does. */
  leave(runner: Promise<RunnerProcess | null>): void {
    const gone = runner
      .then((one) => one?.discard())
      .catch((error: unknown) => this.#parts.log.error("a script's process could not be ended", { error }))
      .finally(() => this.#leaving.delete(gone));
    this.#leaving.add(gone);
  }

  /** Ends the waiting runner. Resolves when it and those that runs have left are gone. */
  async close(): Promise<void> {
    const warm = this.#spare;
    this.#spare = null;
    if (warm !== null) this.leave(warm.runner);
    await Promise.all(this.#leaving);
  }
}

async function hasExited(runner: RunnerProcess): Promise<boolean> {
  const pending = Symbol("pending");
  return (await Promise.race([runner.exited, Promise.resolve(pending)])) !== pending;
}
