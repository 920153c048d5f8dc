/** Message ports between simulated threads: copies arrive later, in order, and a life's ports close when it ends. */
import type { Chance } from "./chance.ts";
import type { Life, Timeline } from "./timeline.ts";

export type Hear = (...given: never[]) => void;

export interface Post {
  timeline: Timeline;
  chance: Chance;
  latencyMs(): number;
  arrived(to: Life, message: unknown): void;
}

export class SimPort {
  readonly #post: Post;
  readonly #hearers = new Map<string, Set<Hear>>();
  /** Messages that arrived before a listener. */
  #early: unknown[] = [];
  #other: SimPort | null = null;
  /** When the last message arrives, so that none overtakes it. */
  #lastAt = 0;
  life: Life;

  constructor(post: Post) {
    this.#post = post;
    this.life = post.timeline.life;
  }

  join(other: SimPort): void {
    this.#other = other;
  }

  postMessage(message: unknown): void {
    const other = this.#other;
    if (other === null) return;
    const copy = copied(message, other.life);
    other.#soon(() => other.#take(copy));
  }

  on(event: string, hear: Hear): this {
    const known = this.#hearers.get(event);
    if (known === undefined) this.#hearers.set(event, new Set([hear]));
    else known.add(hear);
    if (event === "message")
      for (const message of this.#early.splice(0)) this.#soon(() => this.#tell("message", message));
    return this;
  }

  off(event: string, hear: Hear): this {
    this.#hearers.get(event)?.delete(hear);
    return this;
  }

  ref(): void {}
  unref(): void {}

  close(): void {
    const other = this.#other;
    this.#other = null;
    if (other === null) return;
    other.#other = null;
    other.#soon(() => other.#tell("close"));
    this.#soon(() => this.#tell("close"));
  }

  announce(event: string, ...given: unknown[]): void {
    this.#soon(() => this.#tell(event, ...given));
  }

  #soon(act: () => void): void {
    const { timeline, chance } = this.#post;
    const at = Math.max(this.#lastAt, timeline.now + chance.span(this.#post.latencyMs()));
    this.#lastAt = at;
    timeline.after(at - timeline.now, act, this.life);
  }

  #take(message: unknown): void {
    this.#post.arrived(this.life, message);
    if (this.life.over) return;
    if ((this.#hearers.get("message")?.size ?? 0) === 0) this.#early.push(message);
    else this.#tell("message", message);
  }

  #tell(event: string, ...given: unknown[]): void {
    for (const hear of [...(this.#hearers.get(event) ?? [])]) hear(...(given as never[]));
  }
}

export interface SimChannel {
  port1: SimPort;
  port2: SimPort;
}

export function createChannel(post: Post): SimChannel {
  const port1 = new SimPort(post);
  const port2 = new SimPort(post);
  port1.join(port2);
  port2.join(port1);
  return { port1, port2 };
}

/** As structured clone copies; ports in the value move to the receiver. */
function copied(value: unknown, to: Life): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function") throw new TypeError("a function cannot be sent");
    return value;
  }
  if (value instanceof SimPort) {
    value.life = to;
    return value;
  }
  if (value instanceof SharedArrayBuffer) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return value.map((item) => copied(item, to));
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return structuredClone(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item, to)]));
}
