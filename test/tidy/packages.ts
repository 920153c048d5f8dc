/** The check of package.json against the lock file and the README. */

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Findings about the packages that the project uses; none is good. */
export function dependencyFindings(manifest: Manifest, readme: string): string[] {
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const rows = readme.split("\n").filter((line) => line.startsWith("|"));
  return all.flatMap(([name, version]) => {
    const findings: string[] = [];
    // A package under another's name is as exact as its version.
    if (!/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      findings.push(`${name}: "${version}" is not an exact version`);
    if (!rows.some((row) => row.includes(`\`${name}\``))) {
      findings.push(`${name}: stands in no table of README.md with its reason (as \`${name}\`)`);
    }
    return findings;
  });
}

/** Where the lock file would fetch from is the business of each machine's npm. */
export function lockFindings(lock: string): string[] {
  return /"resolved":\s*"https?:/.test(lock) ? ["package-lock.json names the address of a registry"] : [];
}
