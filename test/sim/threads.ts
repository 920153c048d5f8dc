/** Simulated worker threads: a life begins a moment after its request, and ends together with the lives it began. */
import { createChannel, type Hear, type Post, type SimPort } from "./ports.ts";
import type { Life } from "./timeline.ts";

export type Boot = (life: ThreadLife, config: unknown, port: SimPort) => void;

export interface ThreadLife extends Life {
  parent: Life;
  /** As `process.exit` in a worker. */
  exit(code: number): void;
  buried: (() => void)[];
}

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
