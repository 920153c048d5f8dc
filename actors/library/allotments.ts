/** The kinds of allotments for new profiles. */
import type { AllotmentKind } from "./allotment.ts";
import { contentAllotment, identityAllotment } from "./dataset-allotment.ts";
import { proxyAllotment } from "./proxy-allotment.ts";

export const allotmentKinds: readonly AllotmentKind[] = [proxyAllotment, identityAllotment, contentAllotment];
