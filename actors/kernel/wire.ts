/** The messages on a MessagePort: JSON-RPC calls and replies, and notices without a reply. */
import { MessagePort } from "node:worker_threads";
import type { JsonRpcRequest, JsonRpcResponse } from "typed-rpc";
import type { FaultRecord } from "../../protocol/faults.ts";
import type { TrailText } from "./trail.ts";

/** The JSON-RPC error code of every fault; the fault is in `data`. */
export const faultCode = -32000;

export interface CallMessage {
  call: JsonRpcRequest;
  /** What the caller works for. */
  trail?: TrailText;
}
export interface ReplyMessage {
  reply: JsonRpcResponse;
}
export interface NoticeMessage {
  notice: Notice;
}
export type WireMessage = CallMessage | ReplyMessage | NoticeMessage;

/** Notices of the kernel, and those of actors (`actor`). */
export type Notice =
  | { kind: "ready" }
  | { kind: "start-failed"; fault: FaultRecord }
  | { kind: "peer"; name: string; port: MessagePort }
  /** Another actor could not start: refuse calls to it until a port arrives. */
  | { kind: "peer-down"; name: string; fault: FaultRecord }
  | { kind: "caller"; port: MessagePort }
  | { kind: "actor"; body: object };

export interface PortLike {
  postMessage(message: unknown, transfer?: readonly (ArrayBuffer | MessagePort)[]): void;
  on(event: "message", listener: (message: WireMessage) => void): unknown;
  on(event: "close" | "exit", listener: () => void): unknown;
  off(event: "message", listener: (message: WireMessage) => void): unknown;
}

/** The ports and whole buffers in a value's fields, which are moved instead of copied. */
export function transferOf(value: unknown): (ArrayBuffer | MessagePort)[] {
  if (typeof value !== "object" || value === null) return [];
  const moved: (ArrayBuffer | MessagePort)[] = [];
  for (const field of Object.values(value)) {
    if (field instanceof MessagePort) moved.push(field);
    // A Buffer is often a slice of a shared slab; move only an array that owns its memory.
    else if (field instanceof Uint8Array && field.byteLength === field.buffer.byteLength) {
      if (field.buffer instanceof ArrayBuffer) moved.push(field.buffer);
    }
  }
  return moved;
}
