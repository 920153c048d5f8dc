/** What `assert.rejects` expects of a conflict. */
export const conflict = (message: RegExp) => ({ name: "Fault", kind: "conflict", message });
