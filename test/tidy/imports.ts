/** Checks imports: the table, packages, cycles and barrels. Each check returns its findings; an empty list means that all is right. */
import { exceptions, floorRooms, type ImportRule, importRules, severalImporters } from "./import-rules.ts";
import type { Import, Source } from "./tree.ts";

const isIn = (path: string, folder: string) => path.startsWith(`${folder}/`);

function longest(path: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => isIn(path, folder)).sort((a, b) => b.length - a.length)[0];
}

function ruleOf(path: string): ImportRule | undefined {
  const folder = longest(
    path,
    importRules.map((rule) => rule.folder),
  );
  return importRules.find((rule) => rule.folder === folder);
}

export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

const isNode = (specifier: string) => specifier.startsWith("node:");

function mayImport(rule: ImportRule, target: string): boolean {
  return rule.may.includes("*") || [rule.folder, ...rule.may].some((folder) => isIn(target, folder));
}

function importFinding(rule: ImportRule, one: Import): string | null {
  if (one.target !== null) {
    if (mayImport(rule, one.target)) return null;
    return `${rule.folder} may import ${rule.may.join(", ") || "no other folder"}, not ${one.target}`;
  }
  if (one.typeOnly) return null;
  if (isNode(one.specifier)) {
    return rule.pure ? `${rule.folder} is pure: no ${one.specifier}` : null;
  }
  if (rule.packages && !rule.packages.includes(packageOf(one.specifier))) {
    return `${rule.folder} may not import the package ${one.specifier}`;
  }
  return null;
}

/** Findings against the table in actors/README.md, "Folders". */
export function tableFindings(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const rule = ruleOf(source.path);
    if (!rule) return [`${source.path}: is in no folder of the import table; add a rule`];
    return source.imports.flatMap((one) => {
      if (exceptions.some(({ from, to }) => from === source.path && to === one.target)) return [];
      const finding = importFinding(rule, one);
      return finding === null ? [] : [`${source.path}:${one.line} ${finding}`];
    });
  });
}

/** Findings where more than one file of a folder imports the same external module. Type imports do not count. */
export function packageFindings(sources: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const room = longest(path, floorRooms);
    if (room === undefined) continue;
    for (const { specifier, target, typeOnly } of imports) {
      if (target !== null || typeOnly || isNode(specifier)) continue;
      const key = `${room} ${specifier}`;
      importers.set(key, (importers.get(key) ?? new Set()).add(path));
    }
  }
  return [...importers].flatMap(([key, paths]) => {
    const specifier = key.slice(key.indexOf(" ") + 1);
    const allowed = severalImporters.find((one) => one.specifier === specifier)?.under ?? [];
    const counted = [...paths].filter((path) => !allowed.some((place) => path.startsWith(place)));
    if (counted.length < 2) return [];
    return [`${specifier} is imported in one folder by ${counted.join(" and ")}; import it in one of them`];
  });
}

export function cycleFindings(sources: readonly Source[]): string[] {
  const targets = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target }) => (target === null ? [] : [target])),
    ]),
  );
  const done = new Set<string>();
  const findings: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      findings.push(`a cycle: ${[...trail.slice(at), path].join(" → ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return findings;
}

export function barrelFindings(source: Source): string[] {
  return source.isBarrel
    ? [`${source.path}: only re-exports; import from the file that declares the name`]
    : [];
}
