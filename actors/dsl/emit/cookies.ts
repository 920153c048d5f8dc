/** Compiled code that sets and removes cookies. */
import type { BlockOf } from "../../../protocol/dsl/flow-blocks.ts";
import type { Emission, Spot } from "./emission.ts";
import { textOf } from "./expressions.ts";
import { quote } from "./literals.ts";

export function cookiesOf(emit: Emission, block: BlockOf<"setCookies">, spot: Spot): string[] {
  return block.cookies.map((cookie) => {
    const entries = [
      `name: ${textOf(emit, cookie.name, spot)}`,
      `value: ${textOf(emit, cookie.value, spot)}`,
      `domain: ${textOf(emit, cookie.domain, spot)}`,
      `path: ${textOf(emit, cookie.path ?? "/", spot)}`,
      ...(cookie.secure === undefined ? [] : [`secure: ${cookie.secure}`]),
      ...(cookie.httpOnly === undefined ? [] : [`httpOnly: ${cookie.httpOnly}`]),
      ...(cookie.sameSite === undefined ? [] : [`sameSite: ${quote(cookie.sameSite)}`]),
      ...(cookie.maxAgeSecs === undefined
        ? []
        : [`expires: Math.floor(Date.now() / 1000) + ${cookie.maxAgeSecs}`]),
    ];
    return `{ ${entries.join(", ")} }`;
  });
}

export function emitClearSome(
  emit: Emission,
  block: BlockOf<"clearCookies">,
  spot: Spot,
  context: string,
  remove: (cookie: string) => string,
): void {
  const domain = block.domain === undefined ? "null" : textOf(emit, block.domain, spot);
  const all = `${emit.kit.use("sortCookies")}(await ${context}.cookies(), ${domain})`;
  emit.out.block(`for (const { name, domain, path } of ${all})`, () => {
    const wanted = block.name === undefined ? "" : `if (name === ${textOf(emit, block.name, spot)}) `;
    emit.out.line(`${wanted}await ${remove("{ name, domain, path }")};`);
  });
}
