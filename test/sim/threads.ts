/** Simulated worker threads: an actor's life begins a moment after it was asked for, and ends with all lives it has begun. */
import { createChannel, type Hear, type Post, type SimPort } from "./ports.ts";
import type { Life } from "./timeline.ts";

/** What runs on a thread: called when it has started. */
export type Boot = (life: ThreadLife, config: unknown, port: SimPort) => void;

export interface ThreadLife extends Life {
  parent: Life;
  /** Ends it from within, as process.exit does in a worker. */
  exit(code: number): void;
  /** What is to be done for it when it is over. */
  buried: (() => void)[];
}

/** What a worker's owner has of it. */
export interface SimWorker {
  on(event: string, hear: Hear): SimWorker;
  off(event: string, hear: Hear): SimWorker;
  postMessage(message: unknown): void;
  terminate(): Promise<number>;
}

const bootMs = 15;

export class Threads {
  readonly alive = new Set<ThreadLife>();
  readonly #post: Post;
  readonly #boot: Boot;
  #ports = new Set<SimPort>();

  constructor(post: Post, boot: Boot) {
    this.#post = post;
    this.#boot = boot;
  }

  channel() {
    const channel = createChannel(this.#post);
    this.#ports.add(channel.port1).add(channel.port2);
    return channel;
  }

  start(name: string, { config }: { config: unknown }): SimWorker {
    const { timeline, chance } = this.#post;
    const { port1: outside, port2: inside } = this.channel();
    const life: ThreadLife = {
      name,
      over: false,
      parent: timeline.life,
      exit: (code) => this.end(life, code),
      buried: [() => outside.announce("exit", code(life))],
    };
    inside.life = life;
    this.alive.add(life);
    timeline.after(chance.span(bootMs), () => this.#boot(life, config, inside), life);
    const worker: SimWorker = {
      on(event, hear) {
        outside.on(event, hear);
        return worker;
      },
      off(event, hear) {
        outside.off(event, hear);
        return worker;
      },
      postMessage: (message) => outside.postMessage(message),
      terminate: () =>
        new Promise((resolve) => {
          timeline.after(chance.span(2), () => {
            this.end(life, 1);
            resolve(1);
          });
        }),
    };
    return worker;
  }

  /** The thread is no more: nothing it had planned happens, and its ports close. */
  end(life: ThreadLife, exitCode: number): void {
    if (life.over) return;
    life.over = true;
    this.alive.delete(life);
    for (const child of [...this.alive]) if (child.parent === life) this.end(child, 1);
    codes.set(life, exitCode);
    for (const bury of life.buried) bury();
    for (const port of [...this.#ports]) {
      if (port.life !== life) continue;
      this.#ports.delete(port);
      port.close();
    }
  }

  endAll(): void {
    for (const life of [...this.alive]) this.end(life, 1);
    this.#ports = new Set();
  }
}

const codes = new WeakMap<Life, number>();
const code = (life: Life) => codes.get(life) ?? 1;
