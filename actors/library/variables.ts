/** Variables: validation, and sealed storage for a profile or run. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import { readVariables, replaceVariables } from "../../storage/tables/variables.ts";
import type { Vault } from "../../storage/vault.ts";

const nameRule = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** protocol/README.md, "Scripts, runs". Throws `invalid` with the variable's name. */
export function checkVariables(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!nameRule.test(name)) {
      const shown = JSON.stringify(name.slice(0, 80));
      throw new Fault(
        "invalid",
        `variables: the name ${shown} must be a letter or _ and up to 63 letters, digits or _`,
      );
    }
    if (name === "__proto__")
      throw new Fault("invalid", "variables: the name __proto__ is reserved; choose another");
    const bytes = Buffer.byteLength(value);
    if (bytes > limits.variableValueBytesMax) {
      const most = limits.variableValueBytesMax;
      throw new Fault("invalid", `variables.${name} has ${bytes} bytes, at most ${most} are allowed`);
    }
  }
}

const place = (profileId: string, name: string) => `variables/${profileId}/${name}`;

export function storedVariables(sql: Reader, vault: Vault, profileId: string): Record<string, string> {
  const opened = readVariables(sql, profileId).map(({ name, sealed }) => [
    name,
    vault.open(sealed, place(profileId, name)),
  ]);
  return Object.fromEntries(opened);
}

/** Replaces the profile's variables. Returns their names. */
export function storeVariables(
  sql: Writer,
  vault: Vault,
  profileId: string,
  variables: Record<string, string>,
): string[] {
  const names = Object.keys(variables).sort();
  const sealed = names.map((name) => ({
    name,
    sealed: vault.seal(variables[name] ?? "", place(profileId, name)),
  }));
  replaceVariables(sql, profileId, sealed);
  return names;
}

export function sealRunVariables(vault: Vault, runId: string, variables: Record<string, string>): Uint8Array {
  return vault.seal(JSON.stringify(variables), `runs/${runId}`);
}

export function openRunVariables(
  vault: Vault,
  runId: string,
  sealed: Uint8Array | null,
): Record<string, string> {
  return sealed === null ? {} : JSON.parse(vault.open(sealed, `runs/${runId}`));
}
