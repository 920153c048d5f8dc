/** Compiles blocks that read, store and output data. Only element access differs between the libraries. */
import type { BlockOf } from "../../../protocol/dsl/flow-blocks.ts";
import { conditionOf } from "./conditions.ts";
import { type Emission, given, type Spot } from "./emission.ts";
import { asNumber, objectOf, softValueExpr, textOf, valueExpr } from "./expressions.ts";
import { key, literal, object, quote } from "./literals.ts";

export function emitData(emit: Emission, spot: Spot): boolean {
  return emitValues(emit, spot) || emitExtract(emit, spot) || emitInPage(emit, spot);
}

export function variable(emit: Emission, name: string): string {
  emit.members.add("vars");
  return `vars.${name}`;
}

function emitValues(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { out } = emit;
  switch (block.kind) {
    case "setVariable": {
      const { code } = valueExpr(emit, block.value, spot);
      out.line(`${variable(emit, block.name)} = ${code};`);
      return true;
    }
    case "increment": {
      const name = variable(emit, block.name);
      const before = asNumber(emit, { code: `${name} ?? 0`, type: "unknown" }, spot);
      out.line(`${name} = ${before} + ${literal(block.by ?? 1)};`);
      return true;
    }
    case "output":
      out.line(`${given(emit, "output")}(${objectOf(emit, block.values, spot)});`);
      return true;
    case "log":
      out.line(`${given(emit, "log")}.${block.level ?? "info"}(${textOf(emit, block.message, spot)});`);
      return true;
    case "assert": {
      const condition = conditionOf(emit, block.when, spot);
      const message =
        block.message === undefined
          ? quote(`assert ${block.id}: it does not hold`)
          : textOf(emit, block.message, spot);
      out.block(`if (!(${condition}))`, () => out.line(`throw new Error(${message});`));
      return true;
    }
    case "wait":
      out.line(`await ${given(emit, "sleep")}(${literal(block.ms)});`);
      return true;
    case "randomDelay": {
      const range = `${literal(block.minMs)}, ${literal(block.maxMs)}`;
      out.line(`await ${given(emit, "sleep")}(${emit.kit.use("randomInt")}(${range}));`);
      return true;
    }
    default:
      return false;
  }
}

function emitExtract(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  const { dialect, kit } = emit;
  switch (block.kind) {
    case "extractText": {
      if (emit.library === "playwright") {
        const options = dialect.evaluateOptions(spot, true).slice(2);
        save(
          emit,
          block.saveTo,
          `(await ${dialect.evaluated(emit, block.target, spot)}.innerText(${options})).trim()`,
        );
        return true;
      }
      save(emit, block.saveTo, `await ${evaluated(emit, block, spot, kit.use("visibleText"))}`);
      return true;
    }
    case "extractAttribute": {
      const reader = "(node, name) => node.getAttribute(name)";
      save(emit, block.saveTo, `await ${evaluated(emit, block, spot, reader, quote(block.name))}`);
      return true;
    }
    case "extractTable": {
      const rows = `await ${evaluated(emit, block, spot, kit.use("tableRows"))}`;
      save(emit, block.saveTo, block.header === true ? `${kit.use("byHeader")}(${rows})` : rows);
      return true;
    }
    case "extractList":
      emitList(emit, block, spot);
      return true;
    case "countElements":
      save(emit, block.saveTo, dialect.count(emit, block.target, spot));
      return true;
    case "pageInfo":
      save(emit, block.saveTo, block.what === "url" ? `${spot.scope}.url()` : `await ${spot.scope}.title()`);
      return true;
    default:
      return false;
  }
}

function save(emit: Emission, name: string, code: string): void {
  emit.out.line(`${variable(emit, name)} = ${code};`);
}

function evaluated(
  emit: Emission,
  { target }: BlockOf<"extractText" | "extractAttribute" | "extractTable">,
  spot: Spot,
  reader: string,
  argument?: string,
): string {
  const element = emit.dialect.evaluated(emit, target, spot);
  const given = argument === undefined ? "" : `, ${argument}`;
  return `${element}.evaluate(${reader}${given}${emit.dialect.evaluateOptions(spot, argument !== undefined)})`;
}

function emitList(emit: Emission, block: BlockOf<"extractList">, spot: Spot): void {
  const { out, dialect, kit } = emit;
  const fields = block.fields.map((field) =>
    object(Object.entries(field).map(([name, value]) => [name, quote(value)] as const)),
  );
  dialect.block(emit, {
    ...spot,
    block: { id: block.id, kind: "waitElement", state: "attached", target: first(block) },
  });
  const items = emit.fresh("items");
  const element = emit.fresh("element");
  out.line(`const ${items} = ${dialect.all(emit, block.target, spot)};`);
  const read = `${element}.evaluate(${kit.use("readFields")}, [${fields.join(", ")}])`;
  save(emit, block.saveTo, `await Promise.all(${items}.map((${element}) => ${read}))`);
}

/** Wait for any match: `nth` and `strict` do not apply. */
function first({ target }: BlockOf<"extractList">): typeof target {
  if ("ref" in target) return target;
  const { nth: _nth, strict: _strict, ...plain } = target;
  return plain;
}

function emitInPage(emit: Emission, spot: Spot): boolean {
  const { block, scope } = spot;
  const { out, kit } = emit;
  switch (block.kind) {
    case "evaluate":
      keep(emit, block.saveTo, `await ${scope}.evaluate(${script(emit, block, spot)})`);
      return true;
    case "storageGet": {
      const reader = `(key) => ${block.area ?? "local"}Storage.getItem(key)`;
      keep(emit, block.saveTo, `await ${scope}.evaluate(${reader}, ${textOf(emit, block.key, spot)})`);
      return true;
    }
    case "storageSet": {
      const pair = object([
        ["key", textOf(emit, block.key, spot)],
        ["value", textOf(emit, block.value, spot)],
      ]);
      const writer = `({ key, value }) => ${block.area ?? "local"}Storage.setItem(key, value)`;
      out.line(`await ${scope}.evaluate(${writer}, ${pair});`);
      return true;
    }
    case "httpRequest": {
      const headers = Object.entries(block.headers ?? {}).map(
        ([name, value]) => `${key(name)}: ${textOf(emit, value, spot)}`,
      );
      const request = [
        `url: ${textOf(emit, block.url, spot)}`,
        `method: ${quote(block.method ?? "GET")}`,
        `headers: ${headers.length === 0 ? "{}" : `{ ${headers.join(", ")} }`}`,
        ...(block.body === undefined ? [] : [`body: ${textOf(emit, block.body, spot)}`]),
      ];
      keep(
        emit,
        block.saveTo,
        `await ${scope}.evaluate(${kit.use("fetchInPage")}, { ${request.join(", ")} })`,
      );
      return true;
    }
    default:
      return false;
  }
}

function keep(emit: Emission, name: string | undefined, code: string): void {
  if (name === undefined) emit.out.line(`${code};`);
  else save(emit, name, code);
}

/** The page's own JavaScript, passed as text because it is not part of this module. Works in both libraries. */
function script(
  emit: Emission,
  { expression, function: body, args }: BlockOf<"evaluate">,
  spot: Spot,
): string {
  if (expression !== undefined) return quote(`(async () => (${expression}\n))()`);
  const entries = Object.entries(args ?? {}).map(
    ([name, value]) => [name, softValueExpr(emit, value, spot).code] as const,
  );
  const argument = entries.length === 0 ? '"{}"' : `JSON.stringify(${object(entries)})`;
  return `${quote(`(${body}\n)(`)} + ${argument} + ")"`;
}
