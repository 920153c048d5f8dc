/** The sandboxed process, entry of `dist/runner.js`. The user's code is a vm module, whose every import goes through our function. */
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import { type LoadedLibrary, loadLibrary } from "./attach.ts";
import { type Channel, openChannel } from "./channel.ts";
import { loadModule } from "./load-module.ts";
import { lockRunner } from "./lockdown.ts";
import type { StartMessage } from "./messages.ts";
import { createPositionMapper, scriptFile } from "./positions.ts";
import { createContext, type Handoffs } from "./surface.ts";

const [library, file, cacheDir] = process.argv.slice(2);
if ((library !== "playwright" && library !== "puppeteer") || file === undefined || cacheDir === undefined)
  throw new Error("usage: runner playwright|puppeteer MODULE CACHE-DIR");

const abort = new AbortController();
const handoffs: Handoffs = { settle: () => {} };
let mapped = (text: string): string => text;

serve(openChannel(), loadLibrary(library, loadModule(file, cacheDir)));

function serve(channel: Channel, loaded: LoadedLibrary): void {
  process.on("uncaughtException", (error) => fail(channel, error));
  process.on("unhandledRejection", (error) => fail(channel, error));
  channel.onMessage((message) => {
    if (message.kind === "abort") abort.abort(new Error(message.reason));
    else if (message.kind === "handoff-end") handoffs.settle(message.outcome, message.error);
    else void execute(message, loaded, channel).catch((error: unknown) => fail(channel, error));
  });
  channel.send({ kind: "ready" });
}

async function execute(start: StartMessage, loadedLibrary: LoadedLibrary, out: Channel): Promise<void> {
  mapped = createPositionMapper(start.map);
  const attached = await loadedLibrary.attach(out, start.artifactsDir);
  lockRunner();
  const context = createContext(start, attached, out, abort.signal, mapped, handoffs);
  out.send({ kind: "attached" });
  const run = await loadRun(start.code, loadedLibrary);
  const result: unknown = await run(context);
  const text = JSON.stringify(result ?? null) ?? "null";
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.scriptResultBytesMax)
    throw new Error(
      `run returned ${bytes} bytes of JSON; at most ${limits.scriptResultBytesMax} are allowed`,
    );
  const excess = jsonExcess(Buffer.from(text));
  if (excess !== null) throw new Error(`the result of run ${excess}`);
  out.send({ kind: "completed", result: text });
}

async function loadRun(
  code: string,
  { exports, specifiers }: LoadedLibrary,
): Promise<(context: unknown) => unknown> {
  const refuseImport = (specifier: string): never => {
    throw new Error(`import of "${specifier}" is refused: a script imports only ${specifiers[0]}`);
  };
  const module = new vm.SourceTextModule(code, {
    identifier: scriptFile,
    importModuleDynamically: (specifier) => refuseImport(specifier),
  });
  await module.link((specifier) => {
    if (!specifiers.includes(specifier)) return refuseImport(specifier);
    const names = Object.keys(exports);
    return new vm.SyntheticModule(names, function (this: vm.SyntheticModule) {
      for (const name of names) this.setExport(name, exports[name]);
    });
  });
  await module.evaluate();
  const run: unknown = Reflect.get(module.namespace, "default");
  if (typeof run !== "function") throw new Error("the script has no default export that is a function");
  return (context) => run(context);
}

function withoutOwnFrames(stack: string): string {
  const own = fileURLToPath(import.meta.url);
  return stack
    .split("\n")
    .filter((line) => !line.includes(own))
    .join("\n");
}

function fail(out: Channel, error: unknown): void {
  const message =
    error instanceof Error
      ? `${error.name === "Error" ? "" : `${error.name}: `}${error.message}`
      : String(error);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  out.send({
    kind: "failed",
    message: mapped(message).slice(0, limits.scriptErrorCharsMax),
    stack: mapped(withoutOwnFrames(stack)).slice(0, limits.scriptErrorCharsMax),
  });
}
