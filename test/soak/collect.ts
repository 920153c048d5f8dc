/** Collects the garbage of all threads of a process through its inspector, because only what is left after that can be a leak. */
import { WebSocket } from "ws";
import { createDeferred } from "../../actors/kernel/deferred.ts";
import { until } from "../gateway/serve.ts";

/** For the environment of the process: its inspector takes any free port. */
export const inspectable = { NODE_OPTIONS: "--inspect-port=0" };

/** A first collection only starts finalizers, whose objects the second one frees. */
const rounds = 2;

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId: string; message: string };
}

/** `stderr`: what the process has written, which contains the inspector's address. */
export async function collectGarbage(pid: number, stderr: () => string): Promise<void> {
  const from = stderr().length;
  process.kill(pid, "SIGUSR1");
  const address = () => /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(stderr().slice(from))?.[0];
  await until("the inspector listens", () => address() !== undefined);
  const socket = new WebSocket(address() ?? "");
  const workers: string[] = [];
  const calls = new Map<number, () => void>();
  let calledWith = 0;
  const call = async (method: string, params: object = {}, send = (text: string) => socket.send(text)) => {
    calledWith += 1;
    const { promise, resolve } = createDeferred<void>();
    calls.set(calledWith, resolve);
    send(JSON.stringify({ id: calledWith, method, params }));
    await promise;
  };
  const take = (text: string) => {
    const { id, method, params }: Message = JSON.parse(text);
    if (id !== undefined) calls.get(id)?.();
    else if (params !== undefined && method === "NodeWorker.attachedToWorker") workers.push(params.sessionId);
    else if (params !== undefined && method === "NodeWorker.receivedMessageFromWorker") take(params.message);
  };
  socket.on("message", (data) => take(String(data)));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  await call("NodeWorker.enable", { waitForDebuggerOnStart: false });
  const collect = "HeapProfiler.collectGarbage";
  for (let round = 0; round < rounds; round += 1) {
    await call(collect);
    for (const sessionId of workers)
      await call(
        collect,
        {},
        (message) => void call("NodeWorker.sendMessageToWorker", { sessionId, message }),
      );
  }
  await call("NodeWorker.disable");
  // The close ends the session that requests it, so it gets no answer.
  socket.send(
    JSON.stringify({
      id: 0,
      method: "Runtime.evaluate",
      params: { expression: 'setTimeout(() => process.getBuiltinModule("inspector").close())' },
    }),
  );
  await new Promise((resolve) => socket.once("close", resolve));
}
