/** Rules about the library's objects: browser, contexts and pages. */
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { librarySources, type Report } from "./imports.ts";
import type { RuleId } from "./rules.ts";
import type { Survey } from "./survey.ts";
import { bare, child, list, memberName, type Node, nameOf, textOf } from "./syntax-tree.ts";
import type { Kind, Values } from "./values.ts";

const launches = new Set([
  "launch",
  "launchServer",
  "launchPersistentContext",
  "executablePath",
  "defaultArgs",
  "_electron",
  "_android",
]);
const newContexts = new Set(["newContext", "createBrowserContext", "createIncognitoBrowserContext"]);
const emulations = new Set([
  "setViewportSize",
  "setViewport",
  "setUserAgent",
  "setGeolocation",
  "setTimezone",
  "setLocale",
  "emulate",
  "emulateMedia",
  "emulateMediaType",
  "emulateMediaFeatures",
  "emulateTimezone",
  "emulateLocale",
  "emulateCPUThrottling",
  "emulateNetworkConditions",
  "emulateVisionDeficiency",
  "emulateIdleState",
  "emulateFocusedPage",
]);
const protocolMethods: readonly [RegExp, RuleId][] = [
  [/^Emulation\.|^(Network|Page)\.set(UserAgent|DeviceMetrics|Geolocation)Override$/, "no-emulation"],
  [/^Browser\.(close|crash)/, "no-close-browser"],
  [/^Target\.createBrowserContext$/, "no-new-context"],
];

/** A computed member of these kinds is a violation, because the rules cannot check it. */
const named: ReadonlySet<Kind> = new Set(["library", "launcher", "browser", "context"]);

export function checkLibraryUse(
  { noted }: Survey,
  values: Values,
  library: ScriptLibrary,
  report: Report,
): void {
  const judge = (kind: Kind | null, name: string | null, node: Node) => {
    if (kind !== null && name === null && named.has(kind)) report("no-computed-library-access", node);
    const rule = name === null ? null : brokenRule(kind, name, library);
    if (rule !== null) report(rule, node);
  };
  for (const { node } of noted) {
    if (node.type === "MemberExpression")
      judge(values.kindOf(child(node, "object")), memberName(node) ?? null, child(node, "property") ?? node);
    if (node.type === "ImportDeclaration" && librarySources.has(nameOf(child(node, "source")) ?? ""))
      for (const specifier of list(node, "specifiers"))
        if (specifier.type === "ImportSpecifier" && specifier.importKind !== "type")
          judge("library", nameOf(child(specifier, "imported")), specifier);
    if (node.type === "CallExpression") checkCall(node, values, library, report);
  }
  for (const { kind, name, node } of values.destructured) judge(kind, name, node);
}

function brokenRule(kind: Kind | null, name: string, library: ScriptLibrary): RuleId | null {
  if ((kind === "library" || kind === "launcher") && launches.has(name)) return "no-launch";
  if ((kind === "browser" || kind === "context") && name === "close") return "no-close-browser";
  if (kind === "browser" && newContexts.has(name)) return "no-new-context";
  // Playwright's browser.newPage creates a new context.
  if (kind === "browser" && name === "newPage" && library === "playwright") return "no-new-context";
  // Pages come from too many places to follow, so these names count on unknown values too. `emulate` is too common a name for that.
  const isPage = kind === null || kind === "page" || kind === "context" || kind === "browser";
  return isPage && emulations.has(name) && (kind !== null || name !== "emulate") ? "no-emulation" : null;
}

function checkCall(call: Node, values: Values, library: ScriptLibrary, report: Report): void {
  const callee = bare(child(call, "callee"));
  const [first = null] = list(call, "arguments");
  if (callee?.type === "MemberExpression" && memberName(callee) === "send") {
    const method = textOf(bare(first)) ?? "";
    for (const [pattern, rule] of protocolMethods) if (pattern.test(method)) report(rule, call);
  }
  if (library !== "puppeteer" || values.kindOf(callee) !== "connect") return;
  const options = bare(first);
  if (options === null || (options.type === "ObjectExpression" && !keepsViewport(options)))
    report("keep-viewport", call);
}

function keepsViewport(options: Node): boolean {
  return list(options, "properties").some((property) => {
    if (property.type === "SpreadElement") return true;
    const value = bare(child(property, "value"));
    return (
      nameOf(child(property, "key")) === "defaultViewport" &&
      value?.type === "Literal" &&
      value.value === null
    );
  });
}
