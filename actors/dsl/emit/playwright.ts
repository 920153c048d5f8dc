/** Compiles page blocks for Playwright. */
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
import { literal, number, quote, regex } from "./literals.ts";
import { elementTest, everyLocator, locator, options } from "./playwright-elements.ts";
import { emitTabs } from "./tabs.ts";

export const playwright: Dialect = {
  prologue(emit) {
    const { timeoutMs, navigationTimeoutMs } = emit.facts.document.settings ?? {};
    emit.out.line(`page.context().setDefaultTimeout(${number(timeoutMs ?? defaultTimeoutMs)});`);
    emit.out.line(
      `page.context().setDefaultNavigationTimeout(${number(navigationTimeoutMs ?? defaultNavigationTimeoutMs)});`,
    );
  },
  block: (emit, spot) =>
    emitNavigation(emit, spot) ||
    emitPointer(emit, spot) ||
    emitField(emit, spot) ||
    emitWaiting(emit, spot) ||
    emitProfile(emit, spot) ||
    emitTabs(emit, spot),
  evaluated: locator,
  evaluateOptions: (spot, hasArgument) => options(spot, [], hasArgument ? ", " : ", undefined, "),
  test: elementTest,
  count: (emit, target, spot) => `await ${everyLocator(emit, target, spot)}.count()`,
  all: (emit, target, spot) => `await ${everyLocator(emit, target, spot)}.all()`,
  frame: (emit, target, spot) =>
    `await ${emit.kit.use("frameOf")}(${locator(emit, target, spot)}${options(spot)})`,
  popup: (_emit, spot) => `page.waitForEvent("popup"${options(spot)})`,
  adopt: () => undefined,
  download(emit, spot, saveAs, trigger) {
    const file = emit.fresh("file");
    emit.out.line(`const ${file} = page.waitForEvent("download"${options(spot)});`);
    emit.out.line(`${file}.catch(() => undefined);`);
    trigger();
    const download = emit.fresh("download");
    emit.out.line(`const ${download} = await ${file};`);
    const path = emit.fresh("file");
    const name = saveAs ?? `${download}.suggestedFilename()`;
    emit.out.line(`const ${path} = \`\${${given(emit, "scratchDir")}}/\${${name}}\`;`);
    return `${download}.saveAs(${path}).then(() => ${path})`;
  },
};

function emitNavigation(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  const { out } = emit;
  switch (block.kind) {
    case "navigate": {
      const state = block.waitUntil === "networkIdle" ? "networkidle" : (block.waitUntil ?? "load");
      const place = scope === "page" ? "page" : scope;
      out.line(
        `await ${place}.goto(${textOf(emit, block.url, spot)}${options(spot, [`waitUntil: ${quote(state)}`])});`,
      );
      return true;
    }
    case "back":
    case "forward": {
      // Playwright sees no load event if the page comes from the back/forward cache (actors/dsl/README.md, "Compiling").
      const verb = block.kind === "back" ? "goBack" : "goForward";
      out.line(`await page.${verb}(${options(spot, ['waitUntil: "commit"'], "")});`);
      out.line(
        `await page.waitForFunction(() => document.readyState === "complete"${options(spot, [], ", undefined, ")});`,
      );
      return true;
    }
    case "reload":
      out.line(`await page.reload(${options(spot, [], "")});`);
      return true;
    default:
      return false;
  }
}

function emitPointer(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out } = emit;
  switch (block.kind) {
    case "click":
      out.line(
        `await ${locator(emit, block.target, spot)}.click(${options(spot, clickOptions(block), "")});`,
      );
      return true;
    case "hover":
      out.line(`await ${locator(emit, block.target, spot)}.hover(${options(spot, [], "")});`);
      return true;
    case "pressKey":
      if (block.target === undefined) out.line(`await page.keyboard.press(${quote(keyName(block.key))});`);
      else
        out.line(
          `await ${locator(emit, block.target, spot)}.press(${quote(keyName(block.key))}${options(spot)});`,
        );
      return true;
    case "scroll":
      if (block.target !== undefined && block.by === undefined && block.to === undefined)
        out.line(
          `await ${locator(emit, block.target, spot)}.scrollIntoViewIfNeeded(${options(spot, [], "")});`,
        );
      else if (block.target === undefined && block.by !== undefined)
        out.line(`await page.mouse.wheel(${block.by.x ?? 0}, ${block.by.y ?? 0});`);
      else return false;
      return true;
    default:
      return false;
  }
}

/** With Shift, Playwright types the letter exactly as named, so it must be uppercase. */
function keyName(keys: string): string {
  return keys.replace(
    /(^|\+)Shift\+(.*\+)?([a-z])$/,
    (all, _before, _between, letter: string) => `${all.slice(0, -1)}${letter.toUpperCase()}`,
  );
}

function clickOptions({ button, count, modifiers, position }: BlockOf<"click">): string[] {
  return [
    ...(button === undefined ? [] : [`button: ${quote(button)}`]),
    ...(count === undefined ? [] : [`clickCount: ${count}`]),
    ...(modifiers === undefined ? [] : [`modifiers: [${modifiers.map(quote).join(", ")}]`]),
    ...(position === undefined ? [] : [`position: { x: ${position.x}, y: ${position.y} }`]),
  ];
}

function emitField(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out } = emit;
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
      out.line(`await ${locator(emit, block.target, spot)}.selectOption(${option}${options(spot)});`);
      return true;
    }
    case "check":
    case "uncheck":
      out.line(
        `await ${locator(emit, block.target, spot)}.setChecked(${block.kind === "check"}${options(spot)});`,
      );
      return true;
    case "upload": {
      const files = block.files.map(
        (file) => `\`\${${given(emit, "uploadsDir")}}/${insideOf(emit, file, spot)}\``,
      );
      out.line(
        `await ${locator(emit, block.target, spot)}.setInputFiles([${files.join(", ")}]${options(spot)});`,
      );
      return true;
    }
    case "screenshot": {
      const path = `path: \`\${${given(emit, "scratchDir")}}/${insideOf(emit, block.path, spot)}\``;
      const whole = block.fullPage === true ? ["fullPage: true"] : [];
      const what = block.target === undefined ? "page" : locator(emit, block.target, spot);
      out.line(`await ${what}.screenshot(${options(spot, [path, ...whole], "")});`);
      return true;
    }
    default:
      return false;
  }
}

function emitType(emit: Emission, block: BlockOf<"type">, spot: Spot): void {
  const { out } = emit;
  const field = locator(emit, block.target, spot);
  const text = textOf(emit, block.text, spot);
  const clear = block.clear ?? true;
  if (block.auto === true) {
    const element = emit.fresh("element");
    out.line(`const ${element} = ${field};`);
    out.block(`if (await ${emit.kit.use("isList")}(${element}${options(spot)}))`, () =>
      out.line(`await ${element}.selectOption({ value: ${text} }${options(spot)});`),
    );
    out.turn("else", () => out.line(`await ${element}.fill(${text}${options(spot)});`));
    return;
  }
  if (clear && block.delayMs === undefined) {
    out.line(`await ${field}.fill(${text}${options(spot)});`);
    return;
  }
  if (clear) out.line(`await ${field}.clear(${options(spot, [], "")});`);
  const delay = block.delayMs === undefined ? [] : [`delay: ${block.delayMs}`];
  out.line(`await ${field}.pressSequentially(${text}${options(spot, delay)});`);
}

function emitWaiting(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  const { out } = emit;
  switch (block.kind) {
    case "waitElement":
      emitWaitElement(emit, block, spot);
      return true;
    case "waitUrl":
      out.line(`await ${scope}.waitForURL(${regex(block.matches)}${options(spot)});`);
      return true;
    case "waitNetworkIdle":
      out.line(`await ${scope}.waitForLoadState("networkidle"${options(spot)});`);
      return true;
    case "waitFunction":
      out.line(
        `await ${scope}.waitForFunction(${quote(block.expression)}${options(spot, [], ", undefined, ")});`,
      );
      return true;
    default:
      return false;
  }
}

function emitWaitElement(emit: Emission, block: BlockOf<"waitElement">, spot: Spot): void {
  const { out, kit } = emit;
  const until = (what: string, condition: string) =>
    out.line(`await ${kit.use("until")}(${quote(what)}, ${patience(emit, spot)}, async () => ${condition});`);
  if (block.count !== undefined) {
    const sign = { eq: "===", gte: ">=", lte: "<=" }[block.count.op];
    const count = `(await ${everyLocator(emit, block.target, spot)}.count())`;
    until(`node ${block.id}`, `${count} ${sign} ${literal(block.count.value)}`);
    return;
  }
  const state = block.state ?? "visible";
  const alternatives = !("ref" in block.target) && block.target.or !== undefined;
  if (!alternatives) {
    out.line(
      `await ${locator(emit, block.target, spot)}.waitFor(${options(spot, [`state: ${quote(state)}`], "")});`,
    );
    return;
  }
  const wanted = { visible: "visible", hidden: "hidden", attached: "exists", detached: "exists" } as const;
  const test = elementTest(emit, wanted[state], block.target, spot);
  until(`node ${block.id}`, state === "detached" ? `!${test}` : test);
}

function emitProfile(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out, kit } = emit;
  switch (block.kind) {
    case "dialog": {
      const answer = block.accept
        ? `accept(${block.promptText === undefined ? "" : textOf(emit, block.promptText, spot)})`
        : "dismiss()";
      out.line(`page.once("dialog", (dialog) => void dialog.${answer}.catch(() => undefined));`);
      return true;
    }
    case "getCookies": {
      const domain = block.domain === undefined ? "null" : textOf(emit, block.domain, spot);
      const cookies = `${kit.use("sortCookies")}(await page.context().cookies(), ${domain})`;
      out.line(`${variable(emit, block.saveTo)} = ${cookies};`);
      return true;
    }
    case "setCookies":
      out.line(`await page.context().addCookies([${cookiesOf(emit, block, spot).join(", ")}]);`);
      return true;
    case "clearCookies":
      if (block.name === undefined && block.domain === undefined) {
        out.line("await page.context().clearCookies();");
        return true;
      }
      emitClearSome(
        emit,
        block,
        spot,
        "page.context()",
        (cookie) => `page.context().clearCookies(${cookie})`,
      );
      return true;
    default:
      return false;
  }
}
