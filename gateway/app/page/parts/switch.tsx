/** A switch that acts at once; the words beside it say its state. */

export function Switch(props: { label: string; on: boolean; onTurn(): void }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-label={props.label}
      aria-checked={props.on}
      onClick={props.onTurn}
    >
      <span class="track" aria-hidden="true" />
      {props.on ? "On" : "Off"}
    </button>
  );
}
