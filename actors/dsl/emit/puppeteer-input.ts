/** Compiles pointer and keyboard blocks for Puppeteer. */
import type { BlockOf } from "../../../protocol/dsl/flow-blocks.ts";
import type { Emission, Spot } from "./emission.ts";
import { quote } from "./literals.ts";
import { actionLocator, handle } from "./puppeteer-elements.ts";

export function emitPointer(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out } = emit;
  switch (block.kind) {
    case "click":
      emitClick(emit, block, spot);
      return true;
    case "hover":
      out.line(`await ${actionLocator(emit, block.target, spot)}.hover();`);
      return true;
    case "pressKey":
      if (block.target !== undefined) out.line(`await ${handle(emit, block.target, spot)}.focus();`);
      emitKeys(emit, block.key);
      return true;
    case "scroll":
      if (block.target !== undefined && block.by === undefined && block.to === undefined)
        out.line(`await ${handle(emit, block.target, spot)}.scrollIntoView();`);
      else if (block.target === undefined && block.by !== undefined)
        out.line(`await page.mouse.wheel({ deltaX: ${block.by.x ?? 0}, deltaY: ${block.by.y ?? 0} });`);
      else return false;
      return true;
    default:
      return false;
  }
}

function emitClick(emit: Emission, block: BlockOf<"click">, spot: Spot): void {
  const { out } = emit;
  const { button, count, modifiers = [], position } = block;
  const entries = [
    ...(button === undefined ? [] : [`button: ${quote(button)}`]),
    ...(count === undefined ? [] : [`count: ${count}`]),
    ...(position === undefined ? [] : [`offset: { x: ${position.x}, y: ${position.y} }`]),
  ];
  const options = entries.length === 0 ? "" : `{ ${entries.join(", ")} }`;
  const click = `await ${actionLocator(emit, block.target, spot)}.click(${options});`;
  if (modifiers.length === 0) {
    out.line(click);
    return;
  }
  for (const modifier of modifiers) out.line(`await page.keyboard.down(${quote(modifier)});`);
  out.block("try", () => out.line(click));
  out.turn("finally", () => {
    for (const modifier of modifiers.toReversed()) out.line(`await page.keyboard.up(${quote(modifier)});`);
  });
}

/** Puppeteer does not support `Control+A`: press and release the modifiers separately. */
function emitKeys(emit: Emission, keys: string): void {
  const { out } = emit;
  const parts = keys.split(/\+(?=.)/);
  const name = parts.at(-1) ?? "";
  const modifiers = parts.slice(0, -1);
  const shifted = modifiers.length > 0 && /^[A-Za-z]$/.test(name) ? `Key${name.toUpperCase()}` : name;
  for (const modifier of modifiers) out.line(`await page.keyboard.down(${quote(modifier)});`);
  out.line(`await page.keyboard.press(${quote(shifted)});`);
  for (const modifier of modifiers.toReversed()) out.line(`await page.keyboard.up(${quote(modifier)});`);
}
