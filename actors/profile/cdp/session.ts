/** One flat DevTools session: typed commands with a timeout, and typed events. */
import type { Protocol } from "devtools-protocol";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import { readable, type Unread } from "./cbor.ts";

export type { Protocol };
export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type Params<Method extends keyof Commands> = Commands[Method]["paramsType"] extends []
  ? Record<string, never>
  : NonNullable<Commands[Method]["paramsType"][0]>;

/** Why a command has no result. `overdue` is a timeout. */
export type CdpFailure = "refused" | "session-closed" | "page-crashed" | "browser-gone" | "overdue";

export class CdpError extends Error {
  readonly method: string;
  readonly failure: CdpFailure;

  constructor(method: string, { failure, reason }: Ending) {
    super(`${method}: ${reason}`);
    this.name = "CdpError";
    this.method = method;
    this.failure = failure;
  }
}

export function failureOf(error: unknown): CdpFailure | null {
  return error instanceof CdpError ? error.failure : null;
}

export interface Wire {
  transmit(session: CdpSession, method: string, params: object): number;
  callMs(): number;
  /** Called before input to a page; the returned function when the page has taken it, or never will. */
  inputBegins(): () => void;
}

interface Ending {
  failure: CdpFailure;
  reason: string;
}

type Outcome = { ended: null; result: unknown } | { ended: Ending };

interface Pending {
  method: string;
  settle(outcome: Outcome): void;
  timer: NodeJS.Timeout | null;
  answered?: () => void;
}

type Listener = (params: unknown) => void;

/** Unused fields of accessibility nodes, which are most of the tree's bytes. */
const ofNodes = new Set(["sources", "chromeRole", "ignoredReasons"]);
const unwanted = new Map<string, ReadonlySet<string>>([
  ["Accessibility.getFullAXTree", ofNodes],
  ["Accessibility.getPartialAXTree", ofNodes],
  ["Accessibility.queryAXTree", ofNodes],
] satisfies [keyof Commands, ReadonlySet<string>][]);

function answered(result: Unread | undefined, method: string): Outcome {
  const found = result === undefined ? { value: undefined } : readable(result, unwanted.get(method));
  if (found !== null) return { ended: null, result: found.value };
  return { ended: { failure: "refused", reason: "its answer is nested too deep to be read" } };
}

export class CdpSession {
  readonly id: string | null;
  readonly targetId: string | null;
  readonly #wire: Wire;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #closed: Ending | null = null;
  /** Commands answered so far. */
  answers = 0;

  constructor(wire: Wire, id: string | null, targetId: string | null) {
    this.#wire = wire;
    this.id = id;
    this.targetId = targetId;
  }

  get closed(): boolean {
    return this.#closed !== null;
  }

  /** Rejects with a CdpError. `deadlineMs` may be Infinity. `answered` is called when the reply arrives, before later messages are read. */
  async send<Method extends keyof Commands>(
    method: Method,
    params: Params<Method>,
    deadlineMs: number = this.#wire.callMs(),
    answered?: () => void,
  ): Promise<Commands[Method]["returnType"]> {
    const inputEnds = method.startsWith("Input.") ? this.#wire.inputBegins() : null;
    const outcome = await this.#outcome(method, params, deadlineMs, answered);
    inputEnds?.();
    // Create the error here, so that its stack has the callers.
    if (outcome.ended !== null) throw new CdpError(method, outcome.ended);
    // The protocol defines the type of the result; it is not checked.
    return outcome.result as Commands[Method]["returnType"];
  }

  #outcome(method: string, params: object, deadlineMs: number, answered?: () => void): Promise<Outcome> {
    const closed = this.#closed;
    if (closed !== null) return Promise.resolve({ ended: closed });
    return new Promise((settle) => {
      const id = this.#wire.transmit(this, method, params);
      const overdue = () => {
        this.#pending.delete(id);
        settle({ ended: { failure: "overdue", reason: `no answer within ${deadlineMs} ms` } });
      };
      const timer = Number.isFinite(deadlineMs) ? setTimeout(overdue, deadlineMs) : null;
      timer?.unref();
      const pending = { method, settle, timer };
      this.#pending.set(id, answered === undefined ? pending : { ...pending, answered });
    });
  }

  /** Calls `listener` for each event of this session until the returned function is called. */
  on<Event extends keyof Events>(event: Event, listener: (params: Events[Event][0]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set<Listener>();
    this.#listeners.set(event, listeners);
    listeners.add(listener as Listener); // The event's name determines the type of its parameters.
    return () => void listeners.delete(listener as Listener);
  }

  settle(id: number, result: Unread | undefined, refusal: string | null): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.answers += 1;
    if (pending.timer !== null) clearTimeout(pending.timer);
    pending.answered?.();
    pending.settle(
      refusal === null
        ? answered(result, pending.method)
        : { ended: { failure: "refused", reason: refusal } },
    );
  }

  /** Called by the connection for an event. Decoded only for listeners; ignored when nested too deeply. */
  emit(event: string, params: Unread | undefined): void {
    const listeners = this.#listeners.get(event);
    if (listeners === undefined || listeners.size === 0) return;
    const said = params === undefined ? { value: {} } : readable(params);
    if (said === null) return;
    for (const listener of [...listeners]) listener(said.value);
  }

  /** Rejects pending commands but keeps the session, whose crashed renderer may come back. */
  rejectPending(failure: CdpFailure, reason: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.timer !== null) clearTimeout(pending.timer);
      pending.settle({ ended: { failure, reason } });
    }
    this.#pending.clear();
  }

  close(failure: CdpFailure, reason: string): void {
    if (this.#closed !== null) return;
    this.#closed = { failure, reason };
    this.rejectPending(failure, reason);
    this.#listeners.clear();
  }
}
