/** A switch that acts at once; the words beside it say its state. */

export function Switch(props: { label: string; on: boolean; disabled?: boolean; onTurn(): void }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-label={props.label}
      aria-checked={props.on}
      disabled={props.disabled}
      onClick={props.onTurn}
    >
      <span class="track" aria-hidden="true" />
      {props.on ? "On" : "Off"}
    </button>
  );
}
