/** Type-checks compiled scripts against the libraries' typings, in one program and without files. */
import { fileURLToPath } from "node:url";
import ts from "typescript";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

/** Errors as `line: message`, by script name. */
export function typeErrors(scripts: ReadonlyMap<string, string>): string[] {
  const pathOf = (name: string) => fileURLToPath(new URL(`${name}.mts`, import.meta.url));
  const files = new Map([...scripts].map(([name, text]) => [pathOf(name), text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version, true);
  };
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line;
    const source = file?.text.split("\n")[line]?.trim() ?? "";
    return `${file?.fileName.split("/").at(-1)}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")} in: ${source}`;
  });
}
