/** Checks a package.json against its lock file and the table of reasons. */

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export function dependencyFindings(manifest: Manifest, reasons: string): string[] {
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const rows = reasons.split("\n").filter((line) => line.startsWith("|"));
  return all.flatMap(([name, version]) => {
    const findings: string[] = [];
    // An alias (`npm:name@version`) needs an exact version too.
    if (!/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      findings.push(`${name}: "${version}" is not an exact version`);
    if (!rows.some((row) => row.includes(`\`${name}\``))) {
      findings.push(`${name}: has no row in the table of reasons; add one with \`${name}\``);
    }
    return findings;
  });
}

/** A lock file must not name a registry: each machine's npm has its own. */
export function lockFindings(lock: string): string[] {
  return /"resolved":\s*"https?:/.test(lock)
    ? ["package-lock.json contains a registry's address; remove its resolved lines"]
    : [];
}

export function namesIn(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
}

export function lockedFindings(manifest: Manifest, lock: string): string[] {
  const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(lock);
  return Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(
    ([name, version]) => {
      const locked = packages[`node_modules/${name}`]?.version;
      return version.endsWith(locked ?? "none")
        ? []
        : [`${name}: ${version} is locked as ${locked ?? "nothing"}`];
    },
  );
}
