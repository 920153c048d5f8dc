/** Parses templates: the text around `{{ … }}`, and paths and filters inside (actors/dsl/README.md, "Templates"). */

export interface Filter {
  name: FilterName;
  args: string[];
}

export interface Expression {
  path: (string | number)[];
  filters: Filter[];
}

export type Template = (string | Expression)[];

/** Each filter's minimum and maximum number of arguments. */
const filterArguments = {
  trim: [0, 0],
  lower: [0, 0],
  upper: [0, 0],
  slice: [1, 2],
  replace: [2, 2],
  split: [1, 1],
  join: [1, 1],
  number: [0, 0],
  int: [0, 0],
  json: [0, 0],
  default: [1, 1],
  urlencode: [0, 0],
  length: [0, 0],
  first: [0, 0],
  last: [0, 0],
  random: [0, 0],
  date: [1, 1],
} as const satisfies Record<string, readonly [number, number]>;

export type FilterName = keyof typeof filterArguments;

export class TemplateError extends Error {}

const pieces = /\\\{\{|\{\{((?:"(?:[^"\\]|\\.)*"|(?!\}\})[^"])*)\}\}|\{\{/g;

/** Throws TemplateError. */
export function parseTemplate(text: string): Template {
  const parts: Template = [];
  let literal = "";
  let at = 0;
  for (const match of text.matchAll(pieces)) {
    literal += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[0] === "\\{{") literal += "{{";
    else if (match[1] === undefined)
      throw new TemplateError(`"{{" is not closed; write "}}" after it, or "\\{{" for a plain "{{"`);
    else {
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push(parseExpression(match[1]));
    }
  }
  literal += text.slice(at);
  if (literal !== "" || parts.length === 0) parts.push(literal);
  return parts;
}

const step = /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/;
const root = /^[A-Za-z_][A-Za-z0-9_]*/;

/** Names that give access to JavaScript internals. */
export const forbiddenNames: readonly string[] = ["__proto__", "constructor", "prototype"];

function parseExpression(source: string): Expression {
  let rest = source.trim();
  const first = rest.match(root)?.[0];
  if (first === undefined)
    throw new TemplateError(`"{{${source}}}" must begin with a name, as in "{{ vars.total }}"`);
  const path: (string | number)[] = [first];
  rest = rest.slice(first.length);
  for (let match = rest.match(step); match !== null; match = rest.match(step)) {
    path.push(match[1] ?? (match[2] === undefined ? unquoted(match[3] ?? '""') : Number(match[2])));
    rest = rest.slice(match[0].length);
  }
  const bad = path.find((name) => typeof name === "string" && forbiddenNames.includes(name));
  if (bad !== undefined) throw new TemplateError(`"${bad}" cannot be a name in "{{${source}}}"`);
  return { path, filters: parseFilters(rest.trim(), source) };
}

const filter = /^\|\s*([A-Za-z]+)/;
const argument = /^:\s*("(?:[^"\\]|\\.)*"|[^:|"]*)/;

function parseFilters(text: string, source: string): Filter[] {
  const filters: Filter[] = [];
  let rest = text;
  while (rest !== "") {
    const name = rest.match(filter);
    if (name === null)
      throw new TemplateError(`"${rest}" in "{{${source}}}" is not understood; a filter begins with "|"`);
    rest = rest.slice(name[0].length);
    const args: string[] = [];
    for (let match = rest.match(argument); match !== null; match = rest.match(argument)) {
      const word = match[1] ?? "";
      args.push(word.startsWith('"') ? unquoted(word) : word.trim());
      rest = rest.slice(match[0].length).trimStart();
    }
    rest = rest.trim();
    filters.push(checkedFilter(name[1] ?? "", args));
  }
  return filters;
}

function checkedFilter(name: string, args: string[]): Filter {
  if (!isFilter(name))
    throw new TemplateError(
      `there is no filter "${name}"; known are ${Object.keys(filterArguments).join(", ")}`,
    );
  const [least, most] = filterArguments[name];
  if (args.length < least || args.length > most) {
    const count = least === most ? `${least}` : `${least} to ${most}`;
    throw new TemplateError(`the filter "${name}" takes ${count} arguments, got ${args.length}`);
  }
  if (name === "slice" && args.some((arg) => !/^-?\d{1,9}$/.test(arg)))
    throw new TemplateError(`the filter "slice" takes integers, got ${args.join(":")}`);
  return { name, args };
}

function isFilter(name: string): name is FilterName {
  return Object.hasOwn(filterArguments, name);
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw new TemplateError(`${text} is not a quoted text`);
  }
}
