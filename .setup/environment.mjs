/** The environment of package.json's commands. */

/** glibc's defaults in bytes. Setting them turns off glibc's automatic adjustment. */
const mallocThresholds = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Adds fixed malloc thresholds unless set, because glibc otherwise raises them and keeps freed memory (bench/FINDINGS.md, "Memory"). */
export function commandEnvironment(own) {
  return { ...(process.platform === "linux" ? mallocThresholds : {}), ...own };
}
