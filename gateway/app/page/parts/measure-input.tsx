/** A field that takes a duration or a size as people write it, such as `30m`. */
import { useEffect, useState } from "preact/hooks";
import type { Measure } from "./measures.ts";

interface Props {
  measure: Measure;
  value: number;
  least?: number;
  most?: number;
  onChange(value: number): void;
}

export function MeasureInput({ measure, value, least = 0, most = Infinity, onChange }: Props) {
  const [text, setText] = useState(measure.text(value));
  // A value from elsewhere; the user's own words for this value stay.
  useEffect(
    () => setText((own) => (measure.read(own) === value ? own : measure.text(value))),
    [measure, value],
  );
  const wrongIn = (read: number | null) => {
    if (read === null) return measure.remedy;
    if (read < least) return `At least ${measure.text(least)}.`;
    return read > most ? `At most ${measure.text(most)}.` : "";
  };
  return (
    <input
      required
      value={text}
      onInput={({ currentTarget: input }) => {
        const read = measure.read(input.value);
        const wrong = wrongIn(read);
        input.setCustomValidity(wrong);
        setText(input.value);
        if (read !== null && wrong === "") onChange(read);
      }}
      onBlur={({ currentTarget: input }) => {
        if (input.validity.valid) setText(measure.text(value));
      }}
    />
  );
}
