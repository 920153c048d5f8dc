/** The parent's side of the crash harness: bundles the host once, then starts, calls and kills it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { bundled } from "../bundled.ts";
import type { Betrayal } from "./crash-disk.ts";

type Output<Method extends keyof LibraryApi> = Awaited<ReturnType<LibraryApi[Method]>>;

/** The program of the host. */
export const buildHost = async (): Promise<string> =>
  fileURLToPath(await bundled(new URL("./crash-host.ts", import.meta.url)));

/** How long the library took to open. Other load on the machine affects only `wallMs`. */
export interface Opening {
  wallMs: number;
  cpuMs: number;
}

const answerMsMax = 30_000;

export class Host {
  readonly opening: Opening;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #calls = 0;
  #killed = false;

  private constructor(child: ChildProcess, opening: Opening) {
    this.#child = child;
    this.opening = opening;
    child.on("exit", () => {
      const ended = new Error(this.#killed ? "killed" : "the host exited by itself");
      for (const { reject } of this.#waiting.values()) reject(ended);
      this.#waiting.clear();
    });
    child.on("message", (message: { id: number; value?: unknown; fault?: { message: string } }) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.fault === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.fault.message));
    });
  }

  static async start(bundle: string, dataDir: string, betrayal: Betrayal): Promise<Host> {
    // Optimising sql.js's WebAssembly would dominate each start.
    const child = fork(bundle, [dataDir, betrayal], {
      serialization: "advanced",
      execArgv: ["--liftoff-only"],
    });
    const [message] = await Promise.race([once(child, "message"), once(child, "exit").then(() => [{}])]);
    if (!message.ready) throw new Error(message.failed?.message ?? "the host exited before it was ready");
    return new Host(child, message.opening);
  }

  get killed(): boolean {
    return this.#killed;
  }

  call<Method extends keyof LibraryApi | "integrity">(
    method: Method,
    input: Method extends keyof LibraryApi ? Parameters<LibraryApi[Method]>[0] : object,
  ): Promise<Method extends keyof LibraryApi ? Output<Method> : string> {
    return new Promise((resolve, reject) => {
      if (this.#killed) return reject(new Error("killed"));
      const id = this.#calls++;
      const late = setTimeout(
        () => reject(new Error(`${method} was not answered within ${answerMsMax} ms`)),
        answerMsMax,
      );
      this.#waiting.set(id, {
        resolve(value) {
          clearTimeout(late);
          resolve(value as never); // The host answers with the named method's output.
        },
        reject(error) {
          clearTimeout(late);
          reject(error);
        },
      });
      this.#child.send({ id, method, input }, (error) => error && this.#waiting.get(id)?.reject(error));
    });
  }

  async kill(): Promise<void> {
    this.#killed = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await gone;
    }
  }
}
