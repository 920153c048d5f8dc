/** Commands on the application: status, API switch, tokens, scripts. */
import { join } from "node:path";
import type { Access } from "../../protocol/scalars.ts";
import { advice, examine } from "./doctor.ts";
import { named } from "./ids-by-name.ts";
import { complain, exitCodes, say, table, tell } from "./output.ts";
import {
  type DataFlag,
  dataDirOf,
  runningService,
  serviceIfRunning,
  versionHint,
  withApplication,
} from "./reach.ts";

export interface CommonFlags extends DataFlag {
  json?: boolean;
}

export function write<T>(flags: CommonFlags, value: T, show: (value: T) => string): void {
  say(flags.json === true ? JSON.stringify(value) : show(value));
}

export async function status(flags: CommonFlags): Promise<void> {
  write(
    flags,
    await runningService(flags).status({}),
    ({ pid, apiUrl, active, max, queued, memoryShort, dataDir }) =>
      [
        `running (pid ${pid}), data in ${dataDir}`,
        `API: ${apiUrl === null ? "off" : `${apiUrl}/v1`}`,
        `browsers: ${active} of ${max}, ${queued} waiting`,
        ...(memoryShort ? ["memory is short: no browser starts for now; the log says why"] : []),
      ].join("\n"),
  );
  complainOfVersion(flags);
}

/** Says when the service that runs is of another version than this command. */
export function complainOfVersion(flags: DataFlag): void {
  const hint = versionHint(flags);
  if (hint !== null) complain(hint);
}

/** Opens the listener now if a service runs, else at the next start. */
export async function apiOn(flags: CommonFlags & { port?: number }): Promise<void> {
  const service = serviceIfRunning(flags);
  if (service !== null) {
    write(flags, await service.apiOn({ port: flags.port ?? null }), ({ apiUrl }) => `API: ${apiUrl}/v1`);
    return;
  }
  const settings = { apiEnabled: true, ...(flags.port === undefined ? {} : { apiPort: flags.port }) };
  const changed = await withApplication(flags, (api) => api.changeSettings({ settings }));
  write(
    flags,
    { apiEnabled: changed.apiEnabled, apiPort: changed.apiPort },
    () => "The API will be on from the next start.",
  );
}

export async function apiOff(flags: CommonFlags): Promise<void> {
  const service = serviceIfRunning(flags);
  if (service !== null) await service.apiOff({});
  else await withApplication(flags, (api) => api.changeSettings({ settings: { apiEnabled: false } }));
  write(flags, { apiEnabled: false }, () => "The API is off.");
}

export async function tokenMint(name: string, flags: CommonFlags & { access: Access }): Promise<void> {
  const { token } = await withApplication(flags, (api) => api.mintToken({ name, access: flags.access }));
  write(flags, { name, access: flags.access, token }, () => token);
  if (flags.json === true) return;
  if (process.stdout.isTTY) say("The token is not shown again.");
  const service = serviceIfRunning(flags);
  if (service !== null && (await service.status({})).apiUrl === null)
    tell("The API is off. Switch it on with: troupe api on");
}

export async function tokenList(flags: CommonFlags): Promise<void> {
  const tokens = await withApplication(flags, (api) => api.listTokens({}));
  write(flags, tokens, () =>
    table(
      ["NAME", "ACCESS", "CREATED", "LAST USED"],
      tokens.map(({ name, access, createdAt, lastUsed }) => [name, access, createdAt, lastUsed ?? "never"]),
    ),
  );
}

export async function tokenRevoke(name: string, flags: CommonFlags): Promise<void> {
  await withApplication(flags, (api) => api.revokeToken({ name }));
  write(flags, { name, revoked: true }, () => `Token ${name} is revoked.`);
}

export async function scriptApprove(idOrName: string, flags: CommonFlags): Promise<void> {
  const script = await withApplication(flags, async (api) =>
    api.approveScript({ scriptId: await named("scripts", idOrName, () => api.listScripts({})) }),
  );
  const { id, name, version, approved, sha256 } = script;
  write(
    flags,
    { id, name, version, approved, sha256 },
    () => `Script ${name} (version ${version}) is approved.`,
  );
}

export async function uploads(flags: CommonFlags): Promise<void> {
  const path = join(dataDirOf(flags), "uploads");
  write(flags, { uploads: path }, () => path);
}

/** `report` true: a file with a name of its own. */
export async function doctor(flags: CommonFlags & { report?: string | true }): Promise<number> {
  const findings = await examine(flags);
  const rows = findings.map(({ name, ok, finding }) => [ok ? "ok" : "MISSING", name, finding]);
  const shown = `${table(["", "WHAT", "FINDING"], rows)}\n\n${advice(findings)}`;
  if (flags.report === undefined) write(flags, findings, () => shown);
  else {
    const { writeReport } = await import("./report.ts");
    const report = await writeReport(flags, findings, flags.report === true ? null : flags.report);
    write(flags, { findings, report }, () => `${shown}\n\nReport: ${report}. Read it before you send it.`);
  }
  return findings.some(({ ok }) => !ok) ? exitCodes.failed : exitCodes.ok;
}
