/** The profile's runners: one may wait for the next script; used ones are ended in the background. */
import type { WarmRunner } from "../../protocol/profile-spec.ts";
import type { Log } from "../kernel/log.ts";
import { type Isolation, isolationHere } from "../script/isolation.ts";
import { type RunnerDirs, type RunnerProcess, startRunner } from "../script/spawn.ts";

export class ScriptRunners {
  readonly #parts: { log: Log } & RunnerDirs;
  readonly #ending = new Set<Promise<void>>();
  #isolation: Promise<Isolation> | null = null;
  #spare: { kind: WarmRunner; runner: Promise<RunnerProcess | null> } | null = null;

  constructor(parts: { log: Log } & RunnerDirs) {
    this.#parts = parts;
  }

  async #start(kind: WarmRunner): Promise<RunnerProcess> {
    this.#isolation ??= isolationHere(this.#parts.tempDir);
    return startRunner(kind, await this.#isolation, this.#parts);
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
    this.discard(warm.runner);
    return this.#start(kind);
  }

  /** Discards a runner in the background: a run's outcome does not wait for it, but the end of the browser does. */
  discard(runner: Promise<RunnerProcess | null>): void {
    const gone = runner
      .then((one) => one?.discard())
      .catch((error: unknown) => this.#parts.log.error("a script's process could not be ended", { error }))
      .finally(() => this.#ending.delete(gone));
    this.#ending.add(gone);
  }

  /** Ends the waiting runner. Resolves when it and the used ones are gone. */
  async close(): Promise<void> {
    const warm = this.#spare;
    this.#spare = null;
    if (warm !== null) this.discard(warm.runner);
    await Promise.all(this.#ending);
  }
}

async function hasExited(runner: RunnerProcess): Promise<boolean> {
  const pending = Symbol("pending");
  return (await Promise.race([runner.exited, Promise.resolve(pending)])) !== pending;
}
