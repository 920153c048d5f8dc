/** The console messages and uncaught errors of the profile's pages. Pages cannot see that they are read. */
import { randomUUID } from "node:crypto";
import type { ConsoleMessage } from "../../../protocol/verbs/console.ts";
import type { CdpSession } from "../cdp/session.ts";
import { worldName } from "./frames.ts";
import { Sequence } from "./sequence.ts";
import type { Tab } from "./tab.ts";
import { everySession } from "./tab-sessions.ts";
import type { Tabs } from "./tabs.ts";

const messagesMax = 1_000;
const textChars = 2_000;
const binding = "troupeError";

/**
 * Runs in the page's own world before its scripts, because an error's event reaches no other world, and `Runtime.enable` would call
 * getters of what the page logs. It keeps the functions that it needs, reads no object of the page's, and leaves no name.
 */
const hearErrors = (name: string) => `(() => {
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const [page, target, Told, { dispatchEvent }] = [window, document, CustomEvent, EventTarget.prototype];
  const read = (type, key) => getOwnPropertyDescriptor(type.prototype, key).get;
  const [message, filename, lineno, reason] = [read(ErrorEvent, "message"), read(ErrorEvent, "filename"), read(ErrorEvent, "lineno"), read(PromiseRejectionEvent, "reason")];
  const tell = (detail) => apply(dispatchEvent, target, [new Told("${name}", { __proto__: null, detail })]);
  page.addEventListener("error", (event) => tell(apply(lineno, event, []) + " " + apply(filename, event, []) + "\\n" + apply(message, event, [])));
  page.addEventListener("unhandledrejection", (event) => {
    const why = apply(reason, event, []);
    const isPlain = typeof why !== "object" && typeof why !== "function" && typeof why !== "symbol";
    tell("0 \\nUncaught (in promise)" + (isPlain ? " " + why : ""));
  });
})()`;

/** Runs in our isolated world, and passes on the events of `hearErrors`. */
const passOn = (name: string) => `{
  const early = [];
  document.addEventListener("${name}", ({ detail }) => {
    if (globalThis.${binding}) ${binding}(detail);
    else if (early.length < 100) early.push(detail);
  });
  globalThis.troupeEarly = () => early.splice(0).forEach((detail) => ${binding}(detail));
}`;

/** An empty address or line 0 means that the place is unknown. */
interface Noted extends Pick<ConsoleMessage, "tab_id" | "level" | "source" | "text"> {
  url: string | undefined;
  line: number | undefined;
}

const levels = ["debug", "info", "log", "warning", "error"] as const;

export class ConsoleLog {
  readonly log = new Sequence<ConsoleMessage>(messagesMax);
  readonly #tabs: Tabs;
  #begun: Promise<unknown> | null = null;

  constructor(tabs: Tabs) {
    this.#tabs = tabs;
  }

  /** Starts recording with the first call. Resolves when the earlier messages of the present pages are recorded. */
  async begin(): Promise<void> {
    this.#begun ??= Promise.all(everySession(this.#tabs, (session, tab) => this.#follow(session, tab)));
    await this.#begun;
  }

  /** Never rejects: a closed session has no messages. */
  async #follow(session: CdpSession, tab: Tab): Promise<void> {
    const { targetId } = tab;
    session.on("Console.messageAdded", ({ message }) => {
      const { text, url, line, level, source } = message;
      if (source !== "console-api") return;
      this.#note({ tab_id: targetId, level: levelOf(level), source: "console", text, url, line });
    });
    session.on("Runtime.bindingCalled", ({ name, payload }) => {
      if (name !== binding) return;
      const [, line, url = "", text = ""] = /^(\d+) (.*)\n([\s\S]*)$/.exec(payload) ?? [];
      this.#note({ tab_id: targetId, level: "error", source: "page", text, url, line: Number(line) });
    });
    session.on("Page.frameNavigated", ({ frame }) => inBackground(this.#bind(tab, frame.id)));
    const name = randomUUID();
    const sent = [
      session.send("Console.enable", {}),
      session.send("Page.addScriptToEvaluateOnNewDocument", { source: passOn(name), worldName }),
      session.send("Page.addScriptToEvaluateOnNewDocument", { source: hearErrors(name) }),
    ];
    await Promise.all(sent).catch(() => {});
  }

  /** Adds the binding to each document's world, because the browser does so itself only with `Runtime.enable`. */
  async #bind(tab: Tab, frameId: string): Promise<void> {
    const frame = tab.frames.get(frameId);
    if (frame === undefined) return;
    const executionContextId = await tab.frames.world(frame);
    await frame.session.send("Runtime.addBinding", { name: binding, executionContextId });
    const expression = "globalThis.troupeEarly?.()";
    await frame.session.send("Runtime.evaluate", { expression, contextId: executionContextId });
  }

  #note({ text, url = "", line = 0, ...rest }: Noted): void {
    this.log.note({
      at: new Date().toISOString(),
      ...rest,
      text: text.slice(0, textChars),
      ...(url === "" ? {} : { url: url.slice(0, textChars) }),
      ...(line === 0 ? {} : { line }),
    });
  }
}

/** Ignores failures: the document has been left. */
function inBackground(work: Promise<unknown>): void {
  work.catch(() => {});
}

const levelOf = (word: string): ConsoleMessage["level"] => levels.find((level) => level === word) ?? "log";
