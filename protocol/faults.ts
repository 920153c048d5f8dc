/** Faults: errors as they cross threads and reach callers (protocol/README.md, "Errors"). */

export const faultKinds = {
  invalid: { status: 400, prefix: "invalid request" },
  forbidden: { status: 403, prefix: "forbidden" },
  "not-found": { status: 404, prefix: "not found" },
  "wrong-method": { status: 405, prefix: "invalid request" },
  "too-slow": { status: 408, prefix: "invalid request" },
  conflict: { status: 409, prefix: "conflict" },
  "too-large": { status: 413, prefix: "invalid request" },
  "headers-too-large": { status: 431, prefix: "invalid request" },
  "rate-limited": { status: 429, prefix: "rate limited" },
  internal: { status: 500, prefix: "internal error" },
} as const;

export type FaultKind = keyof typeof faultKinds;

/** A fault as it crosses threads: structured clone drops an Error's own fields. */
export interface FaultRecord {
  kind: FaultKind;
  message: string;
  /** Data for programs beside the message, such as `{ code: "port-taken" }`. */
  detail?: Record<string, unknown>;
}

/** The message is the text after the kind's prefix. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly detail: Record<string, unknown> | undefined;

  constructor(kind: FaultKind, message: string, detail?: Record<string, unknown>) {
    const traced = Error.stackTraceLimit;
    // Without a stack: for callers that ask too often it would cost as much as the checks before it.
    const isTraced = kind !== "rate-limited";
    if (!isTraced) Error.stackTraceLimit = 0;
    super(message);
    if (!isTraced) Error.stackTraceLimit = traced;
    this.name = "Fault";
    this.kind = kind;
    this.detail = detail;
  }
}

/** Anything but a Fault becomes `internal`. */
export function faultRecord(error: unknown): FaultRecord {
  if (error instanceof Fault) {
    return error.detail === undefined
      ? { kind: error.kind, message: error.message }
      : { kind: error.kind, message: error.message, detail: error.detail };
  }
  return { kind: "internal", message: error instanceof Error ? error.message : String(error) };
}

export function faultFrom(record: FaultRecord): Fault {
  return new Fault(record.kind, record.message, record.detail);
}
