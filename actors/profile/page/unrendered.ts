/** The elements of a frame whose content the browser does not render before it is scrolled to. */
import type { Frame } from "./frames.ts";
import { skippedElements } from "./in-page-changes.ts";
import type { Tab } from "./tab.ts";

/** Their backend nodes, at the last look for changes. Rejects with a CdpError when the frame closes meanwhile. */
export async function unrenderedIn(tab: Tab, frame: Frame): Promise<ReadonlySet<number>> {
  const executionContextId = await tab.frames.world(frame);
  const objectGroup = "unrendered";
  const look = { functionDeclaration: skippedElements, executionContextId, objectGroup };
  const { result } = await frame.session.send("Runtime.callFunctionOn", look);
  const { objectId, description } = result;
  if (objectId === undefined || description === "Array(0)") return release(frame, objectGroup, []);
  const listed = await frame.session.send("Runtime.getProperties", { objectId, ownProperties: true });
  const handles = listed.result.flatMap(({ value }) => (value?.subtype === "node" && value.objectId) || []);
  const nodes = handles.map(async (handle) => {
    const { node } = await frame.session.send("DOM.describeNode", { objectId: handle });
    return node.backendNodeId;
  });
  return release(frame, objectGroup, await Promise.all(nodes));
}

function release({ session }: Frame, objectGroup: string, nodes: readonly number[]): ReadonlySet<number> {
  session.send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => {}); // The document has gone.
  return new Set(nodes);
}
