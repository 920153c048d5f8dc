/** Where the home directory comes from. */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { test } from "node:test";
import { homeDir } from "../../../actors/kernel/home-dir.ts";

const unknown = () => {
  throw new Error("ENOENT: no such user");
};

test("an empty or missing HOME is replaced by the list of users; without either there is no home directory", () => {
  assert.equal(homeDir(), homedir());
  assert.equal(homeDir([() => "", () => "/somewhere"]), "/somewhere");
  assert.equal(homeDir([unknown, () => "/somewhere"]), "/somewhere");
  assert.equal(homeDir([unknown, unknown]), null);
  assert.equal(homeDir([() => "", () => ""]), null);
});
