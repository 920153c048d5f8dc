/** What is typed into a form, kept in this tab through a reload, a link or the Back button. */
import { useState } from "preact/hooks";

type UseDraft<Draft> = [draft: Draft, change: (part: Partial<Draft>) => void, forget: () => void];

/** `first` is what the form begins with, unless this tab kept something that was typed over the same beginning. */
export function useDraft<Draft extends object>(name: string, first: Draft): UseDraft<Draft> {
  const place = `troupe-draft-${name}`;
  const [draft, setDraft] = useState<Draft>(() => kept(place, first) ?? first);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    keep(place, { first, draft: next });
  };
  return [draft, change, () => sessionStorage.removeItem(place)];
}

function kept<Draft>(place: string, first: Draft): Draft | null {
  const text = sessionStorage.getItem(place);
  if (text === null) return null;
  const stored: { first: Draft; draft: Draft } = JSON.parse(text);
  return JSON.stringify(stored.first) === JSON.stringify(first) ? stored.draft : null;
}

function keep(place: string, stored: object): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(stored));
  } catch {
    // The tab's storage is full: what is typed lasts as long as the form.
  }
}
