/** Fixed devices for tests that need no sampling. */
import type { Fingerprint } from "../../protocol/fingerprint.ts";

export function plainDevices(count: number): Fingerprint[] {
  return Array.from({ length: count }, (_, index) => ({
    screen: {
      width: 1920,
      height: 1000 + index,
      devicePixelRatio: 1,
      colorDepth: 24,
      insetTop: 0,
      insetBottom: 0,
    },
    hardwareConcurrency: 8,
    gpu: null,
    architecture: "x86",
    bitness: "64",
    platformVersion: "",
  }));
}
