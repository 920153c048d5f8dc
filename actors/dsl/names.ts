/** Resolves names in templates: locals first, then roots, then variables and inputs. */
import type { InputVariable } from "../../protocol/dsl/document.ts";
import type { Local } from "./sections.ts";
import { type Expression, TemplateError } from "./template.ts";

export interface Declared {
  variables: ReadonlySet<string>;
  inputs: ReadonlyMap<string, InputVariable>;
  /** Dataset columns; null if none are declared, so any is allowed. */
  columns: ReadonlySet<string> | null;
}

export type Reference =
  | { root: "local"; local: Local; path: (string | number)[] }
  | { root: "row" | "rows" | "vars" | "profile" | "run" | "now"; path: (string | number)[] }
  | { root: "input"; declared: boolean; path: (string | number)[] };

export const rootNames: readonly string[] = ["rows", "vars", "input", "profile", "run", "now"];

/** Resolves the start of an expression; the innermost local wins. Throws TemplateError for an unknown name. */
export function referenceOf(
  { path: [name, ...path] }: Expression,
  locals: readonly Local[],
  declared: Declared,
): Reference {
  const root = String(name);
  const local = locals.findLast((one) => one.name === root);
  if (local !== undefined) return localReference(local, path, declared);
  switch (root) {
    case "row":
      checkColumn(path[0], declared);
      return { root, path };
    case "rows":
      if (path.length > 1) checkColumn(path[1], declared);
      return { root, path };
    case "vars":
      return { root, path };
    case "input":
      return inputReference(path, declared);
    case "profile":
      if (path.length !== 1 || (path[0] !== "id" && path[0] !== "name"))
        throw new TemplateError(`"profile" has "id" and "name"`);
      return { root, path };
    case "run":
      if (path.length !== 1 || path[0] !== "id") throw new TemplateError(`"run" has only "id"`);
      return { root, path };
    case "now":
      if (path.length > 0) throw new TemplateError(`"now" is an instant and has no parts`);
      return { root, path };
    default:
  }
  if (declared.variables.has(root)) return { root: "vars", path: [root, ...path] };
  if (declared.inputs.has(root)) return inputReference([root, ...path], declared);
  throw new TemplateError(
    `there is no name "${root}": no block sets it, no loop declares it, and it is not among the inputs; a variable that the run is given must be declared in inputs.variables or written as input.${root}`,
  );
}

function localReference(local: Local, path: (string | number)[], declared: Declared): Reference {
  if (local.type === "element")
    throw new TemplateError(
      `"${local.name}" is an element; look inside it with "within": {"ref": "${local.name}"}`,
    );
  if (local.type === "row") checkColumn(path[0], declared);
  if ((local.type === "number" || local.type === "text") && path.length > 0)
    throw new TemplateError(`"${local.name}" is a ${local.type} and has no parts`);
  return { root: "local", local, path };
}

function inputReference(path: (string | number)[], { inputs }: Declared): Reference {
  const [name] = path;
  if (name === undefined) return { root: "input", declared: false, path };
  if (path.length > 1) throw new TemplateError(`input "${name}" is a text and has no parts`);
  return { root: "input", declared: inputs.has(String(name)), path };
}

function checkColumn(column: string | number | undefined, { columns }: Declared): void {
  if (column === undefined || columns === null || columns.has(String(column))) return;
  throw new TemplateError(
    `column "${column}" is not declared in inputs.columns, which has ${[...columns].join(", ")}`,
  );
}
