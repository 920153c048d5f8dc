/** What the crash harness knows: answered writes, and those pending at the kill. Checks a restarted library against it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { limits } from "../../protocol/limits.ts";
import type { Host } from "./crash-client.ts";

interface Register<T> {
  answered: T;
  asked: T;
  found?: boolean;
}

export class CrashModel {
  readonly created = new Map<string, string[]>();
  /** Unanswered calls: all of their profiles exist, or none. */
  readonly creating = new Map<string, number>();
  readonly tokens = new Map<string, Register<boolean>>();
  readonly scripts = new Map<string, Register<number>>();
  /** By run id, the steps answered and asked (0 created, 1 begun, 2 part ended, 3 run ended). */
  readonly runs = new Map<string, Register<number>>();
  readonly variables = new Map<string, Register<number>>();
  setting: Register<number> = { answered: limits.idleTimeoutSecs, asked: limits.idleTimeoutSecs };
  answers = 0;

  /** Fails when an answered write is missing, or when the library has something that was never requested. */
  async check(host: Host): Promise<void> {
    assert.equal(await host.call("integrity", {}), "ok");
    await this.#checkProfiles(host);
    await this.#checkScripts(host);
    await this.#checkRuns(host);
    const tokens = new Set((await host.call("listTokens", {})).map((token) => token.name));
    for (const [name, state] of this.tokens) settle(state, tokens.has(name), `token ${name}`);
    const settings = await host.call("readSettings", {});
    settle(this.setting, settings.idleTimeoutSecs, "the setting");
  }

  async #checkProfiles(host: Host): Promise<void> {
    const { json } = await host.call("listProfiles", { live: [] });
    const listed: { id: string; tags: string[]; variableNames: string[] }[] = JSON.parse(
      Buffer.from(json).toString(),
    );
    const found = new Map<string, string[]>();
    for (const { id, tags } of listed) found.set(tags[0] ?? "", [...(found.get(tags[0] ?? "") ?? []), id]);
    for (const [tag, ids] of this.created) {
      assert.deepEqual(found.get(tag), ids, `profiles ${tag} were answered and are missing`);
    }
    for (const [tag, count] of this.creating) {
      const ids = found.get(tag);
      if (ids === undefined) continue;
      assert.equal(ids.length, count, `only some of the profiles ${tag} exist`);
      this.created.set(tag, ids);
    }
    this.creating.clear();
    assert.equal(found.size, this.created.size, "there are profiles that were never requested");
    for (const profile of listed) {
      const state = this.variables.get(profile.id);
      if (state === undefined) continue;
      const value = Number(profile.variableNames[0]?.slice(1) ?? 0);
      settle(state, value, `the variables of ${profile.id}`);
    }
  }

  async #checkScripts(host: Host): Promise<void> {
    const found = new Set<string>();
    for (const { id, name, version } of await host.call("listScripts", {})) {
      found.add(name);
      const state = this.scripts.get(name);
      assert.ok(state !== undefined, `script ${name} was never saved`);
      settle(state, Number(version), `script ${name}`);
      const script = await host.call("readScript", { scriptId: id });
      assert.equal(script.source, sourceOf(name, Number(version)), `the source of ${name}`);
      assert.equal(script.sha256, createHash("sha256").update(script.source).digest("hex"));
    }
    for (const [name, state] of this.scripts) if (!found.has(name)) settle(state, 0, `script ${name}`);
  }

  async #checkRuns(host: Host): Promise<void> {
    const listed = await host.call("listRuns", { scheduleId: null, limit: 1_000_000 });
    const statuses = new Map(listed.map((run) => [run.id, run.status]));
    // Reads only runs that may have changed; for the others the list is enough.
    const open = [...this.runs].filter(([id, state]) => {
      if (state.answered < 3 || !state.found) return true;
      assert.equal(statuses.get(id), "completed", `run ${id} was answered as ended`);
      return false;
    });
    await Promise.all(open.map(([id, state]) => this.#checkRun(host, id, state)));
  }

  async #checkRun(host: Host, id: string, state: Register<number>): Promise<void> {
    const { run, profiles } = await host.call("runProfiles", { runId: id, offset: 0, limit: 10 });
    const part = profiles[0]?.status;
    const step = run.status === "completed" ? 3 : part === "completed" ? 2 : part === "running" ? 1 : 0;
    assert.equal(run.profilesDone, step >= 2 ? 1 : 0, `the count of run ${id}`);
    if (step >= 2) assert.deepEqual(profiles[0]?.result, { of: id }, `the result of run ${id}`);
    settle(state, step, `run ${id}`);
    state.found = true;
  }
}

export function sourceOf(name: string, version: number): string {
  return `// ${name} ${version}\n${"x".repeat((version * 37) % 2000)}`;
}

function settle<T>(state: Register<T>, found: T, what: string): void {
  const allowed = [state.answered, state.asked];
  assert.ok(
    allowed.includes(found),
    `${what} is ${found}; answered: ${state.answered}, asked: ${state.asked}`,
  );
  state.answered = found;
  state.asked = found;
}
