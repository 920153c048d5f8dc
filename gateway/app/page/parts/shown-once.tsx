/** A secret that the service shows only once, with a button that copies it. */
import type { ComponentChildren } from "preact";
import { Copy } from "./copy.tsx";

interface ShownOnceProps {
  secret: string;
  copyLabel: string;
  onDone(): void;
  children: ComponentChildren;
}

export function ShownOnce({ secret, copyLabel, onDone, children }: ShownOnceProps) {
  return (
    <div class="card" role="status">
      <p>{children}, shown only once:</p>
      <div class="row">
        <code class="grow" data-token>
          {secret}
        </code>
        <Copy text={secret} label={copyLabel} />
        <button type="button" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
