/** Compiles blocks about tabs and scrolling. Only a few method names differ between the libraries. */
import { type Emission, patience, type Spot } from "./emission.ts";
import { textOf } from "./expressions.ts";
import { regex } from "./literals.ts";

export function emitTabs(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out, dialect, kit, library } = emit;
  switch (block.kind) {
    case "newTab":
      out.line(`page = await page.${library === "playwright" ? "context" : "browserContext"}().newPage();`);
      dialect.adopt(emit, "page");
      if (block.url !== undefined) out.line(`await page.goto(${textOf(emit, block.url, spot)});`);
      return true;
    case "switchTab": {
      const fits =
        block.index !== undefined
          ? `async (_tab, index) => index === ${block.index}`
          : block.url !== undefined
            ? `async (tab) => ${regex(block.url)}.test(tab.url())`
            : `async (tab) => ${regex(block.title ?? "")}.test(await tab.title())`;
      out.line(`page = await ${kit.use("tabWhere")}(page, ${patience(emit, spot)}, ${fits});`);
      dialect.adopt(emit, "page");
      return true;
    }
    case "closeTab":
      out.line(`page = await ${kit.use("closeTab")}(page);`);
      dialect.adopt(emit, "page");
      return true;
    case "scroll":
      return emitScrollByScript(emit, spot);
    default:
      return false;
  }
}

function emitScrollByScript(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  if (block.kind !== "scroll") return false;
  const { x, y } = block.by ?? block.to ?? {};
  const place = `{ ${[...(x === undefined ? [] : [`left: ${x}`]), ...(y === undefined ? [] : [`top: ${y}`])].join(", ")} }`;
  const verb = block.by === undefined ? "scrollTo" : "scrollBy";
  if (block.target === undefined)
    emit.out.line(`await ${scope}.evaluate((place) => window.${verb}(place), ${place});`);
  else {
    const element = emit.dialect.evaluated(emit, block.target, spot);
    const options = emit.dialect.evaluateOptions(spot, true);
    emit.out.line(`await ${element}.evaluate((node, place) => node.${verb}(place), ${place}${options});`);
  }
  return true;
}
