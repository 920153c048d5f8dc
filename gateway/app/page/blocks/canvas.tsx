/** The canvas as a component; loads Blockly when it is first shown. */
import { useEffect, useRef } from "preact/hooks";
import { attempt } from "../notices.tsx";
import type { BlockKind } from "./kinds.ts";
import type { Selected, Workspace } from "./workspace.ts";

export interface CanvasProps {
  kinds: readonly BlockKind[];
  /** The initial program; a new value opens the canvas again. */
  steps: unknown;
  otherIds: readonly string[];
  onOpen(workspace: Workspace | null): void;
  onChange(): void;
  onSelect(selected: Selected | null): void;
}

export function Canvas(props: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { kinds, steps } = props;
  useEffect(() => {
    let workspace: Workspace | null = null;
    let gone = false;
    void attempt(async () => {
      const { openWorkspace } = await import("./workspace.ts");
      if (gone || place.current === null) return;
      const events = {
        onChange: () => latest.current.onChange(),
        onSelect: (selected: Selected | null) => latest.current.onSelect(selected),
      };
      workspace = openWorkspace(place.current, kinds, events, latest.current.otherIds);
      workspace.load(steps);
      latest.current.onOpen(workspace);
      latest.current.onChange();
    });
    return () => {
      gone = true;
      workspace?.close();
      latest.current.onOpen(null);
    };
  }, [kinds, steps]);
  return <div ref={place} class="canvas" />;
}
