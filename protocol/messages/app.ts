/** What the application may do on the user's behalf: command line now, control page later. Never part of `/v1`. */
import type { ProxyPool, ProxyType } from "../proxies.ts";
import type { Script, ScriptListing, Settings, Token } from "../records.ts";
import type { Access, Uuid } from "../scalars.ts";

/** How the service is doing. */
export interface ServiceStatus {
  pid: number;
  /** Null while the API is off. */
  apiUrl: string | null;
  active: number;
  max: number;
  queued: number;
  uptimeSecs: number;
  dataDir: string;
}

export interface AppApi {
  status(input: Record<string, never>): Promise<ServiceStatus>;
  /** Switches the API on, kept across restarts; `port` null keeps the one chosen before. */
  apiOn(input: { port: number | null }): Promise<{ apiUrl: string }>;
  apiOff(input: Record<string, never>): Promise<null>;
  mintToken(input: { name: string; access: Access }): Promise<{ token: string }>;
  listTokens(input: Record<string, never>): Promise<Token[]>;
  revokeToken(input: { name: string }): Promise<null>;
  listScripts(input: Record<string, never>): Promise<ScriptListing[]>;
  /** Approves the source as it is now. */
  approveScript(input: { scriptId: Uuid }): Promise<Script>;
  /** A pool of one gateway, whose user or password holds `{session}`. Throws `invalid` (the line is bad or holds none). */
  createRotatingPool(input: { name: string; type: ProxyType; line: string }): Promise<ProxyPool>;
  readSettings(input: Record<string, never>): Promise<Settings>;
  changeSettings(input: { settings: Partial<Settings> }): Promise<Settings>;
}
