/** The kinds of what new profiles are given besides their device, each in a file of its own. */
import type { AllotmentKind } from "./allotment.ts";
import { contentAllotment, identityAllotment } from "./dataset-allotment.ts";
import { proxyAllotment } from "./proxy-allotment.ts";

/** In the order in which they are asked. */
export const allotmentKinds: readonly AllotmentKind[] = [proxyAllotment, identityAllotment, contentAllotment];
