/** One flat DevTools session: typed commands with a deadline, typed events, and errors that point at who sent. */
import type { Protocol } from "devtools-protocol";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import { limits } from "../../../protocol/limits.ts";

export type { Protocol };
export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type Params<Method extends keyof Commands> = Commands[Method]["paramsType"] extends []
  ? Record<string, never>
  : NonNullable<Commands[Method]["paramsType"][0]>;

/** Why a command has no result: the browser refused it, its session or the browser went away, or nothing came in time. */
export type CdpFailure = "refused" | "session-closed" | "page-crashed" | "browser-gone" | "overdue";

/** Built where the command is sent, so that its stack names the caller and not the pipe. */
export class CdpError extends Error {
  readonly method: string;
  failure: CdpFailure = "refused";

  constructor(method: string) {
    super(method);
    this.name = "CdpError";
    this.method = method;
  }

  /** Fills in what became of the command. */
  because(failure: CdpFailure, reason: string): this {
    this.failure = failure;
    this.message = `${this.method}: ${reason}`;
    return this;
  }
}

export function failureOf(error: unknown): CdpFailure | null {
  return error instanceof CdpError ? error.failure : null;
}

/** What a session needs of its connection: put a command on the wire, and be told its answer by the number it got. */
export interface Wire {
  transmit(session: CdpSession, method: string, params: object): number;
}

interface Pending {
  error: CdpError;
  resolve(result: unknown): void;
  reject(error: CdpError): void;
  timer: NodeJS.Timeout | null;
}

type Listener = (params: unknown) => void;

export class CdpSession {
  /** Null is the browser's own session. */
  readonly id: string | null;
  readonly targetId: string | null;
  readonly #wire: Wire;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #closed: { failure: CdpFailure; reason: string } | null = null;

  constructor(wire: Wire, id: string | null, targetId: string | null) {
    this.#wire = wire;
    this.id = id;
    this.targetId = targetId;
  }

  get closed(): boolean {
    return this.#closed !== null;
  }

  /**
   * Sends a command. Rejects with a CdpError; `deadlineMs` Infinity waits for ever (for calls that wait in the page and
   * are ended by other means).
   */
  send<Method extends keyof Commands>(
    method: Method,
    params: Params<Method>,
    deadlineMs: number = limits.cdpCallTimeoutMs,
  ): Promise<Commands[Method]["returnType"]> {
    const error = new CdpError(method);
    const closed = this.#closed;
    if (closed !== null) return Promise.reject(error.because(closed.failure, closed.reason));
    return new Promise((resolve, reject) => {
      const id = this.#wire.transmit(this, method, params);
      const overdue = () => {
        this.#pending.delete(id);
        reject(error.because("overdue", `no answer within ${deadlineMs} ms`));
      };
      const timer = Number.isFinite(deadlineMs) ? setTimeout(overdue, deadlineMs) : null;
      timer?.unref();
      // The browser's answer to a method has the type that the protocol gives it; nothing checks it at run time.
      this.#pending.set(id, { error, resolve: resolve as Pending["resolve"], reject, timer });
    });
  }

  /** Calls `listener` for each event of this session until the returned function is called. */
  on<Event extends keyof Events>(event: Event, listener: (params: Events[Event][0]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set<Listener>();
    this.#listeners.set(event, listeners);
    listeners.add(listener as Listener); // The event's name decides the type of its parameters.
    return () => void listeners.delete(listener as Listener);
  }

  /** For the connection: an answer has come. */
  settle(id: number, result: unknown, refusal: string | null): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (pending.timer !== null) clearTimeout(pending.timer);
    if (refusal === null) pending.resolve(result);
    else pending.reject(pending.error.because("refused", refusal));
  }

  /** For the connection: an event has come. */
  emit(event: string, params: unknown): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(params);
  }

  /** Rejects what is pending; the session goes on (its renderer has crashed and may come back). */
  rejectPending(failure: CdpFailure, reason: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.timer !== null) clearTimeout(pending.timer);
      pending.reject(pending.error.because(failure, reason));
    }
    this.#pending.clear();
  }

  /** For the connection: nothing more will come. */
  close(failure: CdpFailure, reason: string): void {
    if (this.#closed !== null) return;
    this.#closed = { failure, reason };
    this.rejectPending(failure, reason);
    this.#listeners.clear();
  }
}
