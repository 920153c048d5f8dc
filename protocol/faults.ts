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

/** Where a page's own text begins and ends in a message. */
export type Quote = readonly [from: number, to: number];

/** A message with the places of a page's own text, which is marked for agents. */
export interface Worded {
  text: string;
  quotes: readonly Quote[];
}

/** A page's own text. */
export function quoting(text: string): Worded {
  return { text, quotes: text === "" ? [] : [[0, text.length]] };
}

/** A template for messages with a page's own text: ``worded`the page threw: ${quoting(text)}` ``. */
export function worded(parts: TemplateStringsArray, ...values: (string | number | Worded)[]): Worded {
  let text = "";
  const quotes: Quote[] = [];
  for (const [index, part] of parts.entries()) {
    text += part;
    const value = values[index] ?? "";
    if (typeof value === "object") {
      for (const [from, to] of value.quotes) quotes.push([text.length + from, text.length + to]);
      text += value.text;
    } else text += value;
  }
  return { text, quotes };
}

/** A fault as it crosses threads: structured clone drops an Error's own fields. */
export interface FaultRecord {
  kind: FaultKind;
  message: string;
  /** Only with a page's own text in the message. */
  quotes?: readonly Quote[];
  /** Data for programs beside the message, such as `{ code: "port-taken" }`. */
  detail?: Record<string, unknown>;
}

/** The message is the text after the kind's prefix. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly quotes: readonly Quote[];
  readonly detail: Record<string, unknown> | undefined;

  constructor(kind: FaultKind, message: string | Worded, detail?: Record<string, unknown>) {
    const { text, quotes } = typeof message === "string" ? { text: message, quotes: [] } : message;
    const traced = Error.stackTraceLimit;
    // Without a stack: for callers that ask too often it would cost as much as the checks before it.
    const isTraced = kind !== "rate-limited";
    if (!isTraced) Error.stackTraceLimit = 0;
    super(text);
    if (!isTraced) Error.stackTraceLimit = traced;
    this.name = "Fault";
    this.kind = kind;
    this.quotes = quotes;
    this.detail = detail;
  }

  /** The same fault, saying more. */
  adding(more: Worded): Fault {
    const said: Worded = { text: this.message, quotes: this.quotes };
    return new Fault(this.kind, worded`${said}${more}`, this.detail);
  }
}

/** Anything but a Fault becomes `internal`. */
export function faultRecord(error: unknown): FaultRecord {
  if (error instanceof Fault) {
    const { kind, message, quotes, detail } = error;
    return {
      kind,
      message,
      ...(quotes.length === 0 ? {} : { quotes }),
      ...(detail === undefined ? {} : { detail }),
    };
  }
  return { kind: "internal", message: error instanceof Error ? error.message : String(error) };
}

export function faultFrom(record: FaultRecord): Fault {
  return new Fault(record.kind, { text: record.message, quotes: record.quotes ?? [] }, record.detail);
}
