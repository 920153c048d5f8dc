/** Why a start fails: the fault's code, the exit code and the description of each case. */

export const startFailures = {
  "data-dir-locked": {
    exit: 3,
    when: "another service uses the data directory, or its lock was not made by Troupe",
  },
  "port-taken": { exit: 5, when: "another program uses the API's port" },
  "port-refused": { exit: 6, when: "the system does not let this user listen on the API's port" },
  "data-dir-unfit": {
    exit: 7,
    when: "the data directory is shared with other users or has files that are not of Troupe, or something else stands in place of a file or directory of its own",
  },
  "disk-refused": {
    exit: 8,
    when: "the disk is full or read-only, or this user may not use the data directory",
  },
  "storage-damaged": { exit: 9, when: "a file of the library is damaged or missing" },
  "storage-newer": { exit: 10, when: "a newer release wrote the library" },
  "vault-key": {
    exit: 11,
    when: "the key of the secrets is missing, unreadable, or belongs to another library",
  },
  "no-chromium": { exit: 12, when: "no Chromium was found" },
} as const;

export function startFailureOf(code: unknown): { exit: number; when: string } | null {
  const found = Object.entries(startFailures).find(([name]) => name === code);
  return found === undefined ? null : found[1];
}
