/** Functions that run inside a page, as in in-page.ts: fields of a date or time. */

/** Fields of several parts. */
export const datedFields = `
  const isDated = (field) => /^(date|datetime-local|month|time|week)$/.test(field.type);
`;

/** `field`: of a date or time. Whether the numbers typed are those of its value, whose hours count to 23. */
export const dates = `
  const isSameDate = (field, typed) => {
    const { value } = field;
    const like = document.createElement("input");
    like.type = field.type;
    like.value = typed.trim();
    if (like.value !== "") return like.valueAsNumber === field.valueAsNumber;
    const hours = /time/.test(field.type);
    const digits = (one) => [...one.replace(/[^1-9]/g, "")].sort().join("");
    const given = typed.match(/\\d+/g) || [];
    const had = (value.match(/\\d+/g) || []).map(Number);
    const has = (number) => had.includes(number) || hours && (had.includes(number + 12) || number === 12);
    if (given.length === 1 && given[0].length > 2) return hours || has(Number(given[0])) || digits(typed) === digits(value);
    return given.map(Number).every((number) => number === 0 || has(number));
  };
`;

/** this: a field. text: its value as scripts know it (`2024-02-29`, `13:05`). The number of each part; null for another field or text. */
export const dateNumbers = `function (text) {
  ${datedFields}
  if (!isDated(this)) return null;
  const like = document.createElement("input");
  like.type = this.type;
  like.value = text.trim();
  if (like.value === "") return null;
  const { year, month, day } = /^(?<year>\\d+)-(?<month>\\d\\d)?(-(?<day>\\d\\d))?/.exec(like.value)?.groups || {};
  const { week } = /W(?<week>\\d\\d)/.exec(like.value)?.groups || {};
  const { hour, minute, second = 0, millisecond = 0 } = /(?<hour>\\d\\d):(?<minute>\\d\\d)(:(?<second>\\d\\d)(\\.(?<millisecond>\\d{3}))?)?/.exec(like.value)?.groups || {};
  return Object.fromEntries(Object.entries({ year, month, day, week, hour, minute, second, millisecond }).map(([name, digits]) => [name, Number(digits)]));
}`;

/** this: a part of a field. Its number; NaN while it is empty. */
export const partNumber = `function () {
  return parseInt(this.getAttribute("aria-valuenow"));
}`;
