/** A profile thread whose launch blocks in the system: it reads a pipe that has no writer. */
import { readFileSync, writeFileSync } from "node:fs";
import { hostActor } from "../../actors/kernel/host.ts";
import { profileControlChecks } from "../../protocol/generated/messages/profile.ts";
import type { ProfileConfig, ProfileControlApi } from "../../protocol/messages/profile.ts";

const nothing = async () => null;

hostActor<ProfileConfig, ProfileControlApi>("profile", profileControlChecks, async () => ({
  async launch({ spec }) {
    writeFileSync(`${spec.userDataDir}.begun`, "");
    readFileSync(spec.userDataDir);
    throw new Error("the pipe was written to");
  },
  stop: nothing,
  touch: nothing,
  freezePages: nothing,
  prepare: async () => ({ more: false }),
  connect: nothing,
}));
