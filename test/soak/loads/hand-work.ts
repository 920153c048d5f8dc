/** A user who opens a profile, uses every verb on its page, and closes it or leaves it to the idle stop. */
import type { Profile } from "../../../protocol/records.ts";
import type { LaunchReply } from "../../../protocol/requests.ts";
import { type LoadContext, pause, pick, type Round } from "./load.ts";

const idleTimeoutSecs = 3;
const idleStopMs = 45_000;
const lookMs = 500;

/** Each round works on one of these profiles; concurrent rounds need different ones. */
export function handWork(profileIds: readonly string[]): Round {
  return async (context) => {
    const { ledger, target, random } = context;
    const id = pick(random, profileIds);
    const leaves = random() < 0.2;
    const launched = await ledger.attempt("launch", id, () =>
      target.post<LaunchReply>(`/v1/profiles/${id}/launch`, {
        headless: true,
        idle_timeout_secs: leaves ? idleTimeoutSecs : 0,
      }),
    );
    if (launched !== null) await ledger.attempt("verbs", id, () => work(context, id));
    if (leaves && launched !== null) await ledger.attempt("idle stop", id, () => untilStopped(context, id));
    else await ledger.attempt("stop", id, () => target.post(`/v1/profiles/${id}/stop`));
  };
}

async function work({ target, random, site }: LoadContext, id: string): Promise<void> {
  const path = `/v1/profiles/${id}`;
  const find = async (selector: string) => {
    const found = await target.post<{ node_id: number }>(`${path}/wait-for-element`, { selector });
    return { node_id: found.node_id };
  };
  await target.post(`${path}/navigate`, { url: `${site}/form` });
  await target.get(`${path}/snapshot`);
  await target.post(`${path}/type`, { ...(await find("[name=code]")), text: `soak ${id}` });
  await target.post(`${path}/press-key`, { key: "Tab" });
  await target.post(`${path}/click`, await find("[type=submit]"));
  const title = await target.post<{ result: unknown }>(`${path}/evaluate`, { expression: "document.title" });
  if (title.result !== "Received") throw new Error(`after the click the page's title is ${title.result}`);
  const other = pick(random, ["/keys", "/dialogs", "/table", "/frames"]);
  await target.post(`${path}/navigate`, { url: `${site}${other}` });
  if (other === "/keys") await target.post(`${path}/scroll`, { direction: "down", amount: 400 });
  if (other === "/dialogs") await target.post(`${path}/click`, await find("#ask"));
  await target.get(`${path}/snapshot?interactive=true`);
}

async function untilStopped({ target }: LoadContext, id: string): Promise<void> {
  const latest = Date.now() + idleStopMs;
  for (;;) {
    const profiles = await target.get<Profile[]>("/v1/profiles");
    const status = profiles.find((profile) => profile.id === id)?.status;
    if (status === "stopped") return;
    if (Date.now() > latest) throw new Error(`the profile is ${status} ${idleStopMs} ms after the last call`);
    await pause(lookMs);
  }
}
