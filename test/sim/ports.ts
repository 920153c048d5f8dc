/** Message ports between simulated threads: copies arrive in order, a while later, and a life's ports close when it ends. */
import type { Chance } from "./chance.ts";
import type { Life, Timeline } from "./timeline.ts";

/** Whatever its event brings. */
export type Hear = (...given: never[]) => void;

/** What ports need of the world. */
export interface Post {
  timeline: Timeline;
  chance: Chance;
  /** How long a message is on its way, in the middle. */
  latencyMs(): number;
  /** Called with each message that arrives. */
  arrived(to: Life, message: unknown): void;
}

export class SimPort {
  readonly #post: Post;
  readonly #hearers = new Map<string, Set<Hear>>();
  /** What came before anybody listened. */
  #early: unknown[] = [];
  #other: SimPort | null = null;
  /** When the last of what was sent here arrives: nothing overtakes it. */
  #lastAt = 0;
  /** Whose port it is: whoever made it, until it is sent to another. */
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

  /** Tells the other end, after what was sent to it. */
  close(): void {
    const other = this.#other;
    this.#other = null;
    if (other === null) return;
    other.#other = null;
    other.#soon(() => other.#tell("close"));
    this.#soon(() => this.#tell("close"));
  }

  /** As if it had come from the other end, after all that was sent before. */
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

/** As structured clone would; ports among it go over to the receiver. */
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
