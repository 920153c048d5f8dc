/** Joins a client's connection with the browser's: what passes is read where it has to wait, or is meant for us. */
import { connect, type Socket } from "node:net";
import type { ClientCommand, ClientWorkers, FollowedClient } from "./client-workers.ts";
import { type FramePart, frameStream } from "./frame-stream.ts";

const goOn = '"Runtime.runIfWaitingForDebugger"';
const closeAll = '"Browser.close"';
const stopWorkers = '"ServiceWorker.stop';
const headBytesMax = 64 * 1024;
const headEnd = "\r\n\r\n";
/** An announcement of a service worker holds its address twice. */
const announcementBytesMax = 16 * 1024;

export interface JoinParts {
  /** Resolves when no target lacks its values. */
  settled(): Promise<void>;
  /** Resolves when the browser may be closed. */
  keepStorage(): Promise<void>;
  clientWorkers: ClientWorkers;
}

/** Answers the browser's end. */
export function joinClient(client: Socket, port: number, parts: JoinParts): Socket {
  const browser = connect(port, "127.0.0.1");
  browser.on("error", () => browser.destroy());
  browser.once("close", () => client.end());
  client.once("close", () => browser.destroy());
  const outlet = outletTo(browser, client);
  const answers = passAnswers(browser, client);
  const { settled } = parts;
  const onFrame = frameStream((part) => {
    if (part.text?.includes(stopWorkers)) parts.clientWorkers.toStop(read(part.text));
    outlet.pass(part, part.text && waitBefore(part.text, parts));
  });
  let head: Buffer | null = Buffer.alloc(0);
  client.on("data", (chunk: Buffer) => {
    if (head === null) return onFrame(chunk);
    head = Buffer.concat([head, chunk]);
    for (let end = head.indexOf(headEnd); end !== -1; end = head.indexOf(headEnd)) {
      const request = head.subarray(0, end + headEnd.length);
      const rest: Buffer = head.subarray(end + headEnd.length);
      head = rest;
      if (!/^upgrade: *websocket\r$/im.test(request.toString("latin1"))) {
        outlet.pass(whole(request), null);
        continue;
      }
      const followed = parts.clientWorkers.follow({ path: pathOf(request), put: outlet.put, settled });
      browser.once("close", followed.end);
      answers.upgrade(followed);
      // Frames that are packed could not be read on their way.
      const plain = request.toString("latin1").replace(/^sec-websocket-extensions:.*\r\n/gim, "");
      outlet.pass(whole(Buffer.from(plain, "latin1")), null);
      head = null;
      return onFrame(rest);
    }
    if (head.length > headBytesMax) client.destroy();
  });
  client.resume();
  return browser;
}

/** All that goes to the browser: the client's, in order, whatever was held before it, and ours between two of its messages. */
function outletTo(browser: Socket, client: Socket) {
  let turn = Promise.resolve();
  let queued = 0;
  let between = true;
  const ours: Buffer[] = [];
  const write = ({ bytes, ends }: FramePart): boolean => {
    if (browser.destroyed) return true;
    let reads = browser.write(bytes);
    between = ends;
    if (ends) for (const frame of ours.splice(0)) reads = browser.write(frame);
    return reads;
  };
  return {
    /** A client that writes faster than the browser reads is told to wait. */
    pass(part: FramePart, wait: (() => Promise<void>) | null): void {
      if (queued === 0 && wait === null) {
        if (!write(part)) pauseUntilDrained(client, browser);
        return;
      }
      queued += 1;
      client.pause();
      turn = turn.then(wait).then(() => {
        queued -= 1;
        write(part);
        if (queued === 0) client.resume();
      });
    },
    put(frame: Buffer): void {
      if (!between) ours.push(frame);
      else if (!browser.destroyed) browser.write(frame);
    },
  };
}

/** What the browser says goes to the client as it comes, but for the answers to what we have said in the client's name. */
function passAnswers(browser: Socket, client: Socket) {
  let head: Buffer | null = null;
  let followed: FollowedClient | null = null;
  let onFrames: ((chunk: Buffer) => void) | null = null;
  const write = (bytes: Buffer) => {
    if (!client.write(bytes)) pauseUntilDrained(browser, client);
  };
  const onFrame = ({ bytes, text }: FramePart) => {
    if (text === null || !followed?.heard(text)) write(bytes);
  };
  browser.on("data", (chunk: Buffer) => {
    if (onFrames !== null) return together(client, chunk, onFrames);
    if (head === null) return write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(headEnd);
    if (end === -1) return;
    const answer = head.subarray(0, end + headEnd.length);
    const rest = head.subarray(end + headEnd.length);
    head = null;
    write(answer);
    if (!/^HTTP\/1\.1 101 /.test(answer.toString("latin1"))) return write(rest);
    onFrames = frameStream(onFrame, announcementBytesMax);
    onFrames(rest);
  });
  browser.once("end", () => client.end());
  return {
    /** The next answer decides whether frames follow it. */
    upgrade(by: FollowedClient) {
      followed = by;
      head = Buffer.alloc(0);
    },
  };
}

/** The frames of one chunk go out in one piece, as they came. */
function together(socket: Socket, chunk: Buffer, work: (chunk: Buffer) => void): void {
  socket.cork();
  work(chunk);
  socket.uncork();
}

function whole(bytes: Buffer): FramePart {
  return { bytes, text: null, ends: true };
}

function pathOf(request: Buffer): string {
  return request.toString("latin1").split(" ", 2)[1] ?? "";
}

/** What a client's message waits for; null: it goes on at once. */
function waitBefore(text: Buffer, { settled, keepStorage }: JoinParts): (() => Promise<void>) | null {
  if (text.includes(goOn)) return settled;
  if (text.includes(closeAll) && read(text).method === "Browser.close") return keepStorage;
  return null;
}

/** What a client says; nothing, when it is no command. */
function read(text: Buffer): ClientCommand {
  try {
    const message: unknown = JSON.parse(text.toString("utf8"));
    return typeof message === "object" && message !== null ? message : {};
  } catch {
    return {}; // The browser refuses it.
  }
}

/** Once for all that one chunk holds. */
function pauseUntilDrained(writer: Socket, reader: Socket): void {
  if (writer.isPaused()) return;
  writer.pause();
  reader.once("drain", () => writer.resume());
}
