/** What of the build is in the package. What else lies in dist/ is of other work, or somebody's own. */

/** Outputs of the build that no installation needs. */
const leftOut = [/^dist\/bench\.js$/, /^dist\/batch-/];
/** Their names change with their contents, so the build does not know them before. */
const pagePart = /^dist\/page\/part-[A-Z0-9]{8}\.js$/;

/** Both take paths from the root: what the build makes, and what is there. */
export const packedFiles = (outputs, present) => [
  ...outputs.filter((name) => !leftOut.some((pattern) => pattern.test(name))),
  ...present.filter((name) => pagePart.test(name)),
];
