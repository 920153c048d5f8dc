/** The violations of the script contract in a source, line by line. */
import { useEffect, useState } from "preact/hooks";
import type { Violation } from "../../../../protocol/messages/tasks.ts";
import { app } from "../api.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";

const gatherMs = 150;

export function useBreaches(source: string): readonly Violation[] {
  const [breaches, setBreaches] = useState<readonly Violation[]>([]);
  useEffect(() => {
    let overtaken = false;
    const check = async () => {
      const { violations } = await app.checkScript({ source });
      if (!overtaken) setBreaches(violations);
    };
    const timer = setTimeout(() => void attempt(check), gatherMs);
    return () => {
      overtaken = true;
      clearTimeout(timer);
    };
  }, [source]);
  return breaches;
}

export const notesOf = (breaches: readonly Violation[]) =>
  breaches.map(({ line, rule, message }) => ({ line, text: `[${rule}] ${message}` }));

interface BreachesProps {
  breaches: readonly Violation[];
  onLine(line: number): void;
}

export function Breaches({ breaches, onLine }: BreachesProps) {
  if (breaches.length === 0) return <p class="good">No contract violations.</p>;
  return (
    <section aria-label="Contract violations" aria-live="polite">
      <p class="bad">{counted(breaches.length, "violation")} of the script contract:</p>
      <ul class="breaches">
        {breaches.map(({ line, rule, message }) => (
          <li key={`${line} ${rule} ${message}`}>
            <button type="button" onClick={() => onLine(line)}>
              <strong>line {line}</strong> <code>[{rule}]</code> {message}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
