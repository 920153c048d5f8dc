/** Compiles page blocks for Puppeteer. */
import type { BlockOf } from "../../../protocol/dsl/flow-blocks.ts";
import { cookiesOf, emitClearSome } from "./cookies.ts";
import { variable } from "./data.ts";
import {
  type Dialect,
  defaultNavigationTimeoutMs,
  defaultTimeoutMs,
  type Emission,
  given,
  patience,
  type Spot,
} from "./emission.ts";
import { insideOf, textOf } from "./expressions.ts";
import { literal, number, quote } from "./literals.ts";
import { actionLocator, elementTest, everyHandle, handle, plainSelector } from "./puppeteer-elements.ts";
import { emitPointer } from "./puppeteer-input.ts";
import { emitTabs } from "./tabs.ts";

export const puppeteer: Dialect = {
  prologue(emit) {
    const { out, facts } = emit;
    const { timeoutMs, navigationTimeoutMs } = facts.document.settings ?? {};
    const answered = facts.blocks.some(({ block }) => block.kind === "dialog");
    if (answered) {
      emit.types.add("Dialog");
      out.line("let answer: ((dialog: Dialog) => Promise<void>) | null = null;");
    }
    out.line("const prepared = new WeakSet<Page>();");
    out.block(
      "const prepare = (tab: Page): void =>",
      () => {
        out.line("if (prepared.has(tab)) return;");
        out.line("prepared.add(tab);");
        out.line(`tab.setDefaultTimeout(${number(timeoutMs ?? defaultTimeoutMs)});`);
        const navigation = number(navigationTimeoutMs ?? defaultNavigationTimeoutMs);
        out.line(`tab.setDefaultNavigationTimeout(${navigation});`);
        // Puppeteer does not close unanswered dialogs, and the page would hang.
        out.block(
          'tab.on("dialog", (dialog) =>',
          () => {
            const usual = 'dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss()';
            if (answered) {
              out.line("const give = answer;");
              out.line("answer = null;");
              out.line(`const given = give === null ? (${usual}) : give(dialog);`);
            } else out.line(`const given = ${usual};`);
            out.line("given.catch(() => undefined);");
          },
          "});",
        );
      },
      "};",
    );
    out.line("prepare(page);");
  },
  block: (emit, spot) =>
    emitNavigation(emit, spot) ||
    emitPointer(emit, spot) ||
    emitField(emit, spot) ||
    emitWaiting(emit, spot) ||
    emitProfile(emit, spot) ||
    emitTabs(emit, spot),
  evaluated: handle,
  evaluateOptions: () => "",
  test: elementTest,
  count: (emit, target, spot) => `${everyHandle(emit, target, spot)}.length`,
  all: (emit, target, spot) => everyHandle(emit, target, spot).replace(/^\((await .*)\)$/s, "$1"),
  frame: (emit, target, spot) => `await ${emit.kit.use("frameOf")}(${handle(emit, target, spot)})`,
  popup: (emit, spot) => `${emit.kit.use("popupOf")}(page, ${patience(emit, spot)})`,
  adopt: (emit, page) => emit.out.line(`prepare(${page});`),
  download(emit, spot, _saveAs, trigger) {
    const download = emit.fresh("download");
    const begin = `${emit.kit.use("downloadOf")}(page, ${given(emit, "scratchDir")}, ${patience(emit, spot)})`;
    emit.out.line(`const ${download} = await ${begin};`);
    emit.out.line(`${download}.done.catch(() => undefined);`);
    trigger();
    return `${download}.done`;
  },
};

function emitNavigation(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  const { out } = emit;
  const patient = block.timeoutMs === undefined ? [] : [`timeout: ${block.timeoutMs}`];
  switch (block.kind) {
    case "navigate": {
      const state = block.waitUntil === "networkIdle" ? "networkidle0" : (block.waitUntil ?? "load");
      const entries = [`waitUntil: ${quote(state)}`, ...patient];
      out.line(`await ${scope}.goto(${textOf(emit, block.url, spot)}, { ${entries.join(", ")} });`);
      return true;
    }
    case "back":
    case "forward":
    case "reload": {
      const verb = { back: "goBack", forward: "goForward", reload: "reload" }[block.kind];
      out.line(`await page.${verb}(${patient.length === 0 ? "" : `{ ${patient.join(", ")} }`});`);
      return true;
    }
    default:
      return false;
  }
}

function emitField(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out, kit } = emit;
  switch (block.kind) {
    case "type":
      emitType(emit, block, spot);
      return true;
    case "select": {
      const option =
        block.index !== undefined
          ? `{ index: ${block.index} }`
          : block.value !== undefined
            ? `{ value: ${textOf(emit, block.value, spot)} }`
            : `{ label: ${textOf(emit, block.text ?? "", spot)} }`;
      const list = handle(emit, block.target, spot);
      out.line(`await ${kit.use("choose")}(${list}, ${option}, ${patience(emit, spot)});`);
      return true;
    }
    case "check":
    case "uncheck": {
      const box = handle(emit, block.target, spot);
      out.line(`await ${kit.use("setChecked")}(${box}, ${block.kind === "check"}, ${patience(emit, spot)});`);
      return true;
    }
    case "upload": {
      emit.types.add("ElementHandle");
      const files = block.files.map(
        (file) => `\`\${${given(emit, "uploadsDir")}}/${insideOf(emit, file, spot)}\``,
      );
      const input = `(${handle(emit, block.target, spot)} as ElementHandle<HTMLInputElement>)`;
      out.line(`await ${input}.uploadFile(${files.join(", ")});`);
      return true;
    }
    case "screenshot": {
      const path = `path: \`\${${given(emit, "scratchDir")}}/${insideOf(emit, block.path, spot)}\``;
      const entries = [path, ...(block.fullPage === true ? ["fullPage: true"] : [])];
      const what = block.target === undefined ? "page" : handle(emit, block.target, spot);
      out.line(`await ${what}.screenshot({ ${entries.join(", ")} });`);
      return true;
    }
    default:
      return false;
  }
}

function emitType(emit: Emission, block: BlockOf<"type">, spot: Spot): void {
  const { out, kit } = emit;
  const text = textOf(emit, block.text, spot);
  if (block.auto !== true && block.delayMs === undefined && (block.clear ?? true)) {
    out.line(`await ${actionLocator(emit, block.target, spot)}.fill(${text});`);
    return;
  }
  const element = emit.fresh("element");
  out.line(`const ${element} = ${handle(emit, block.target, spot)};`);
  const wait = patience(emit, spot);
  if (block.auto === true) {
    out.block(`if (await ${kit.use("isList")}(${element}))`, () =>
      out.line(`await ${kit.use("choose")}(${element}, { value: ${text} }, ${wait});`),
    );
    out.turn("else", () => out.line(`await ${element}.asLocator().setTimeout(${wait}).fill(${text});`));
    return;
  }
  if (block.clear ?? true) out.line(`await ${element}.asLocator().setTimeout(${wait}).fill("");`);
  const delay = block.delayMs === undefined ? "" : `, { delay: ${block.delayMs} }`;
  out.line(`await ${element}.type(${text}${delay});`);
}

function emitWaiting(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  const { out } = emit;
  const patient = block.timeoutMs === undefined ? [] : [`timeout: ${block.timeoutMs}`];
  switch (block.kind) {
    case "waitElement":
      emitWaitElement(emit, block, spot);
      return true;
    case "waitUrl": {
      const options = `{ ${patient.join(", ")} }`.replace("{  }", "{}");
      const test = "(pattern) => new RegExp(pattern).test(location.href)";
      out.line(`await ${scope}.waitForFunction(${test}, ${options}, ${quote(regexSource(block.matches))});`);
      return true;
    }
    case "waitNetworkIdle":
      out.line(
        `await page.waitForNetworkIdle({ ${[`idleTime: ${block.idleMs ?? 500}`, ...patient].join(", ")} });`,
      );
      return true;
    case "waitFunction": {
      const options = patient.length === 0 ? "" : `, { ${patient.join(", ")} }`;
      out.line(`await ${scope}.waitForFunction(${quote(block.expression)}${options});`);
      return true;
    }
    default:
      return false;
  }
}

function regexSource(pattern: string): string {
  return new RegExp(pattern).source;
}

function emitWaitElement(emit: Emission, block: BlockOf<"waitElement">, spot: Spot): void {
  const { out, kit } = emit;
  const wait = patience(emit, spot);
  const until = (condition: string) =>
    out.line(`await ${kit.use("until")}(${quote(`node ${block.id}`)}, ${wait}, async () => ${condition});`);
  if (block.count !== undefined) {
    const sign = { eq: "===", gte: ">=", lte: "<=" }[block.count.op];
    until(`${everyHandle(emit, block.target, spot)}.length ${sign} ${literal(block.count.value)}`);
    return;
  }
  const state = block.state ?? "visible";
  const selector = plainSelector(emit, block.target, spot);
  if (selector === null || state === "detached") {
    const wanted = { visible: "visible", hidden: "hidden", attached: "exists", detached: "exists" } as const;
    const test = elementTest(emit, wanted[state], block.target, spot);
    until(state === "detached" ? `!${test}` : test);
    return;
  }
  const entries = [
    ...(state === "attached" ? [] : [`${state}: true`]),
    ...(block.timeoutMs === undefined ? [] : [`timeout: ${block.timeoutMs}`]),
  ];
  const options = entries.length === 0 ? "" : `, { ${entries.join(", ")} }`;
  out.line(`await ${spot.scope}.waitForSelector(${selector}${options});`);
}

function emitProfile(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out, kit } = emit;
  const context = "page.browserContext()";
  switch (block.kind) {
    case "dialog": {
      const answer = block.accept
        ? `accept(${block.promptText === undefined ? "" : textOf(emit, block.promptText, spot)})`
        : "dismiss()";
      out.line(`answer = (dialog) => dialog.${answer};`);
      return true;
    }
    case "getCookies": {
      const domain = block.domain === undefined ? "null" : textOf(emit, block.domain, spot);
      out.line(
        `${variable(emit, block.saveTo)} = ${kit.use("sortCookies")}(await ${context}.cookies(), ${domain});`,
      );
      return true;
    }
    case "setCookies":
      out.line(`await ${context}.setCookie(${cookiesOf(emit, block, spot).join(", ")});`);
      return true;
    case "clearCookies":
      if (block.name === undefined && block.domain === undefined)
        out.line(`await ${context}.deleteCookie(...(await ${context}.cookies()));`);
      else
        emitClearSome(emit, block, spot, context, (cookie) => `${context}.deleteMatchingCookies(${cookie})`);
      return true;
    default:
      return false;
  }
}
