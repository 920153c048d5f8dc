/** The writers of the crash harness: each writes until its host is killed, and records requests and answers. */
import { plainDevices } from "../actors/devices.ts";
import type { Host } from "./crash-client.ts";
import { type CrashModel, sourceOf } from "./crash-model.ts";

export type Random = () => number;

type Writer = (host: Host, model: CrashModel, random: Random, tag: string) => Promise<void>;

const createProfiles: Writer = async (host, model, random, tag) => {
  const count = 1 + Math.floor(random() * 3);
  model.creating.set(tag, count);
  const { created } = await host.call("createProfiles", {
    nameTemplate: `${tag} {n}`,
    os: "linux",
    tags: [tag],
    timezone: "UTC",
    languages: [],
    devices: plainDevices(count),
  });
  model.creating.delete(tag);
  model.created.set(
    tag,
    created.map((profile) => profile.profile_id),
  );
};

const saveScript: Writer = async (host, model, random) => {
  const name = `script-${Math.floor(random() * 4)}`;
  const listed = (await host.call("listScripts", {})).find((script) => script.name === name);
  const version = Number(listed?.version ?? 0) + 1;
  const state = model.scripts.get(name) ?? { answered: 0, asked: version };
  state.asked = version;
  model.scripts.set(name, state);
  await host.call("saveScript", {
    name,
    source: sourceOf(name, version),
    description: "",
    library: "playwright",
    scriptId: listed?.id ?? null,
  });
  state.answered = version;
};

const mintAndRevoke: Writer = async (host, model, random, tag) => {
  const state = { answered: false, asked: true };
  model.tokens.set(tag, state);
  await host.call("mintToken", { name: tag, access: "write" });
  state.answered = true;
  if (random() < 0.5) return;
  state.asked = false;
  await host.call("revokeToken", { name: tag });
  state.answered = false;
};

const changeSetting: Writer = async (host, model) => {
  model.setting.asked = model.setting.answered + 1;
  await host.call("changeSettings", { settings: { idleTimeoutSecs: model.setting.asked } });
  model.setting.answered = model.setting.asked;
};

const setVariables: Writer = async (host, model) => {
  const profileId = model.created.values().next().value?.[0];
  if (profileId === undefined) return;
  const state = model.variables.get(profileId) ?? { answered: 0, asked: 0 };
  model.variables.set(profileId, state);
  state.asked = state.answered + 1;
  await host.call("setVariables", { profileId, variables: { [`v${state.asked}`]: "secret" } });
  state.answered = state.asked;
};

const runOnce: Writer = async (host, model) => {
  const profileId = model.created.values().next().value?.[0];
  if (profileId === undefined) return;
  // Its own script: starting a part of a run is refused when the script's source has changed meanwhile.
  const name = "runner";
  const known = (await host.call("listScripts", {})).find((script) => script.name === name);
  if (known === undefined) {
    model.scripts.set(name, { answered: 0, asked: 1 });
    const source = sourceOf(name, 1);
    const saved = { name, source, description: "", library: "playwright", scriptId: null } as const;
    await host.call("saveScript", saved);
    return;
  }
  const scriptId = known.id;
  const { run } = await host.call("createRun", {
    scriptId,
    profileIds: [profileId],
    variables: { given: "secret" },
    headless: true,
    batch: false,
    concurrency: 0,
    staggerMs: 0,
    source: null,
    scheduleId: null,
  });
  const state = { answered: 0, asked: 1 };
  model.runs.set(run.id, state);
  await host.call("beginRunProfile", { runId: run.id, profileId });
  state.answered = 1;
  state.asked = 2;
  await host.call("endRunProfile", {
    runId: run.id,
    profileId,
    outcome: {
      status: "completed",
      error: null,
      result: { of: run.id },
      output: [],
      log: [],
      files: [],
      launchMs: 1,
      isolation: null,
    },
  });
  state.answered = 2;
  state.asked = 3;
  await host.call("endRun", { runId: run.id, error: null });
  state.answered = 3;
};

const writers = { createProfiles, saveScript, mintAndRevoke, changeSetting, setVariables, runOnce };

export async function writeUntilKilled(
  host: Host,
  model: CrashModel,
  random: Random,
  round: number,
  faults: string[],
): Promise<void> {
  const keepWriting = async (name: string, write: Writer) => {
    for (let turn = 0; !host.killed; turn++) {
      try {
        await write(host, model, random, `${name}-${round}-${turn}`);
        model.answers++;
        await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (/killed|channel closed|EPIPE/i.test(message)) return;
        faults.push(`${name}: ${message}`);
        return;
      }
    }
  };
  await Promise.all(Object.entries(writers).map(([name, write]) => keepWriting(name, write)));
}
