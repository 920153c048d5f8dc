/** The cookies of a profile are replaced: a browser that ends meanwhile has lost none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CdpSession } from "../../actors/profile/cdp/session.ts";
import { replaceCookies } from "../../actors/profile/cookies.ts";
import type { Cookie } from "../../protocol/cookies.ts";

const base = { value: "1", domain: "x.example", path: "/", expires: 1_999_999_999, httpOnly: false };
const cookie = (name: string, more: Partial<Cookie> = {}): Cookie => ({
  ...base,
  name,
  secure: false,
  ...more,
});
const placeOf = ({ name, domain, path }: Cookie) => `${domain}${path} ${name}`;

/** A browser that ends at the command of this number. */
function mortalBrowser(had: readonly Cookie[], endsAt: number) {
  const jar = new Map(had.map((one) => [placeOf(one), one]));
  let commands = 0;
  const send = async (method: string, params: { cookies?: Cookie[] }) => {
    commands += 1;
    if (commands === endsAt) throw new Error("the browser has ended");
    if (method === "Storage.clearCookies") jar.clear();
    for (const one of params.cookies ?? []) {
      jar.delete(placeOf(one));
      if (one.expires === undefined || one.expires > 1) jar.set(placeOf(one), one);
    }
    const cookies = [...jar.values()].map((one) => ({
      ...one,
      session: one.expires === undefined,
      expires: one.expires ?? -1,
    }));
    return { cookies };
  };
  const session: unknown = { send };
  return { session: session as CdpSession, jar, commands: () => commands };
}

test("at each moment the old cookies are there, or the new ones", async () => {
  const old = [cookie("stays"), cookie("changes"), cookie("goes"), cookie("goes", { domain: "y.example" })];
  const wanted = [cookie("stays"), cookie("changes", { value: "2" }), cookie("comes", { expires: -1 })];
  const whole = mortalBrowser(old, Number.POSITIVE_INFINITY);
  assert.deepEqual(await replaceCookies(whole.session, wanted), []);
  assert.deepEqual([...whole.jar.keys()].sort(), wanted.map(placeOf).sort());
  assert.ok(whole.commands() > 3);
  for (let endsAt = 1; endsAt <= whole.commands(); endsAt += 1) {
    const { session, jar } = mortalBrowser(old, endsAt);
    await assert.rejects(replaceCookies(session, wanted), /has ended/);
    const has = (all: readonly Cookie[]) => all.every((one) => jar.has(placeOf(one)));
    assert.ok(has(old) || has(wanted), `ended at command ${endsAt}: ${[...jar.keys()].join(", ")}`);
  }
});
