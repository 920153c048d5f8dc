/** The elements that a function in the page lists. */
import { release } from "./elements.ts";
import type { Frame } from "./frames.ts";
import type { Tab } from "./tab.ts";

/** Their backend nodes, in one round trip; none for null. Rejects with a CdpError when the frame closes meanwhile. */
export async function listedNodes(
  tab: Tab,
  frame: Frame,
  functionDeclaration: string,
  ...given: boolean[]
): Promise<ReadonlySet<number>> {
  const executionContextId = await tab.frames.world(frame);
  const { result } = await frame.session.send("Runtime.callFunctionOn", {
    functionDeclaration,
    executionContextId,
    arguments: given.map((value) => ({ value })),
    serializationOptions: {
      serialization: "deep",
      maxDepth: 1,
      additionalParameters: { maxNodeDepth: 0, includeShadowTree: "none" },
    },
  });
  if (result.objectId === undefined) return new Set();
  release({ frame, objectId: result.objectId });
  const listed: Listed[] = result.deepSerializedValue?.value ?? [];
  return new Set(listed.flatMap(({ value }) => value?.backendNodeId ?? []));
}

interface Listed {
  value?: { backendNodeId?: number };
}
