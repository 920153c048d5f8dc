/** The buttons of a list that is shown in slices. */

export function Pager(props: {
  offset: number;
  limit: number;
  total: number;
  onOffset(offset: number): void;
}) {
  const { offset, limit, total, onOffset } = props;
  if (total <= limit && offset === 0) return null;
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const to = Math.min(offset + limit, total);
  const steps: [string, number, boolean][] = [
    ["First", 0, offset > 0],
    ["Previous", Math.max(0, offset - limit), offset > 0],
    ["Next", offset + limit, offset < last],
    ["Last", last, offset < last],
  ];
  return (
    <nav class="row pager" aria-label="Pages of the list">
      {steps.map(([label, target, possible]) => (
        <button key={label} type="button" disabled={!possible} onClick={() => onOffset(target)}>
          {label}
        </button>
      ))}
      <span role="status">
        {`${(offset + 1).toLocaleString()}–${to.toLocaleString()} of ${total.toLocaleString()}`}
      </span>
    </nav>
  );
}
