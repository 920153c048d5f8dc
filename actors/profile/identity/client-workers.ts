/**
 * What clients have attached of the browser's service workers, read as it passes the debugging address; and the end of it at our word,
 * spoken in each client's own name. A client hears of it as of any target that has gone: `Target.detachedFromTarget`, or the end of a
 * connection that was for the worker alone.
 */
import type { ClientMessage } from "../cdp/pipe-clients.ts";

/** A client's connection. */
export interface ClientWire {
  /** The one target that it is for; null: the browser. */
  targetId: string | null;
  /** Sends a command of ours to the browser, in the client's name. */
  put(message: ClientMessage): void;
  close(): void;
  /** Resolves when every target has its values. */
  settled(): Promise<void>;
}

export interface FollowedClient {
  /** The browser says this; true when it says it to us, and the client is not to hear it. */
  heard(text: string): boolean;
  /** The connection has ended. */
  end(): void;
}

export interface ClientWorkers {
  follow(wire: ClientWire): FollowedClient;
  /** Every client of this worker. */
  letGo(targetId: string): LetGo;
  /** A client's word to stop a service worker, or all, is about to pass. */
  toStop(command: ClientCommand): void;
  onToStop(listener: (command: ClientCommand) => void): void;
}

export interface LetGo {
  /** Settles when no client is attached to the worker any more. */
  apart: Promise<unknown>;
  /** It runs on: those that were let go of are attached again. */
  takeBack(): void;
}

/** As a client has written it. */
export interface ClientCommand {
  method?: unknown;
  params?: unknown;
}

/** No client counts down from here, and the browser takes any whole number of 32 bits. */
const firstId = -1_947_000_000;
const answer = '{"id":-1947';
const attached = '{"method":"Target.attachedToTarget"';
const crashed = '{"method":"Inspector.targetCrashed"';
const detached = '{"method":"Target.detachedFromTarget"';
const serviceWorker = '"service_worker"';

/** What is read of Chromium's messages. */
interface Told {
  id?: number;
  params?: { sessionId: string; targetInfo?: { targetId: string; type: string } };
  sessionId?: string;
}

export function clientWorkers(): ClientWorkers {
  const clients = new Set<ReturnType<typeof followed>>();
  let toStop = (_command: ClientCommand) => {};
  return {
    toStop: (command) => toStop(command),
    onToStop(listener) {
      toStop = listener;
    },
    follow(wire) {
      const client = followed(wire, () => clients.delete(client));
      clients.add(client);
      return client;
    },
    letGo(targetId) {
      const those = [...clients].map((client) => client.letGo(targetId));
      return {
        apart: Promise.all(those.map(({ apart }) => apart)),
        takeBack() {
          for (const { takeBack } of those) takeBack();
        },
      };
    },
  };
}

function followed({ targetId: ownTarget, put, close, settled }: ClientWire, onEnd: () => void) {
  /** By session; `parent` is the client's session that brought it. */
  const workers = new Map<string, { targetId: string; parent: string | undefined }>();
  /** Sessions of what has crashed. */
  const deaf = new Set<string>();
  const asked = new Map<number, () => void>();
  let lastId = firstId;
  let ended = () => {};
  const whenEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const ask = (method: string, params: object, sessionId: string | undefined): Promise<void> => {
    lastId -= 1;
    const id = lastId;
    const done = new Promise<void>((resolve) => asked.set(id, resolve));
    put({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
    return Promise.race([done, whenEnded]);
  };
  /** Where nobody waits for the answer; it is never a failure. */
  const say = (...command: Parameters<typeof ask>): void => {
    ask(...command).catch(() => {});
  };
  const detach = (sessionId: string, parent: string | undefined) =>
    ask("Target.detachFromTarget", { sessionId }, parent);
  /** A worker is held until all of a client's sessions let it go, and Playwright no longer listens to those of a page that has crashed. */
  const letRun = async (sessionId: string, parent: string) => {
    await settled();
    say("Runtime.runIfWaitingForDebugger", {}, sessionId);
    await detach(sessionId, parent);
  };
  const onAttached = ({ params, sessionId: parent }: Told) => {
    if (params?.targetInfo?.type !== "service_worker") return;
    workers.set(params.sessionId, { targetId: params.targetInfo.targetId, parent });
    if (parent !== undefined && deaf.has(parent)) letRun(params.sessionId, parent).catch(() => {}); // The browser is gone.
  };
  return {
    heard(text: string): boolean {
      if (text.startsWith(answer)) {
        const { id = 0 } = read(text);
        asked.get(id)?.();
        return asked.delete(id);
      }
      if (text.startsWith(attached)) {
        if (text.includes(serviceWorker)) onAttached(read(text));
      } else if (text.startsWith(detached)) workers.delete(read(text).params?.sessionId ?? "");
      else if (text.startsWith(crashed)) deaf.add(read(text).sessionId ?? "");
      return false;
    },
    end() {
      ended();
      onEnd();
    },
    letGo(targetId: string): LetGo {
      if (ownTarget === targetId) {
        close();
        return { apart: whenEnded, takeBack: () => {} };
      }
      const own = [...workers].filter(([, worker]) => worker.targetId === targetId);
      return {
        apart: Promise.all(own.map(([sessionId, { parent }]) => detach(sessionId, parent))),
        takeBack() {
          for (const [, { parent }] of own) say("Target.attachToTarget", { targetId, flatten: true }, parent);
        },
      };
    },
  };
}

function read(text: string): Told {
  return JSON.parse(text) as Told; // What the browser writes is the protocol's own shape.
}
