/** Draws a suite as SVG: a panel per comparison and a strip per contestant, with samples, median, p95 and spread. */
import type { Series } from "./series.ts";
import { quantile } from "./statistics.ts";

const width = 920;
const labelWidth = 330;
const rightMargin = 96;
const stripHeight = 34;
const panelTop = 30;
const axisHeight = 36;
const plotted = { left: labelWidth, right: width - rightMargin };
/** Per series, because more dots only enlarge the file. */
const dotsMax = 400;
const linearSpanMax = 12;
const colours = ["#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626", "#0891b2", "#65a30d", "#be185d"];

export function plotOf(title: string, series: readonly Series[]): string | null {
  const drawn = series.filter(({ values }) => values.some(Number.isFinite));
  const groups = [...new Set(drawn.map(({ group, unit }) => `${group}\0${unit}`))];
  if (groups.length === 0) return null;
  let top = 44;
  const panels = groups.map((key) => {
    const strips = drawn.filter(({ group, unit }) => `${group}\0${unit}` === key);
    const panel = panelOf(strips, top);
    top += panelTop + strips.length * stripHeight + axisHeight;
    return panel;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="16" y="26" font-size="16" font-weight="600">${escaped(title)}</text>
<text x="${width - 16}" y="26" text-anchor="end" fill="#666">dots: samples · box: middle half · bar: median · tick: p95</text>
${panels.join("\n")}
</svg>
`;
}

function panelOf(strips: readonly Series[], top: number): string {
  const [{ group, unit } = { group: "", unit: "" }] = strips;
  const scale = scaleOf(strips.flatMap(({ values }) => values.filter(Number.isFinite)));
  const bottom = top + panelTop + strips.length * stripHeight;
  const ticks = scale.ticks.map((tick) => {
    const x = scale.at(tick).toFixed(1);
    return `<line x1="${x}" x2="${x}" y1="${top + panelTop - 4}" y2="${bottom}" stroke="#e5e7eb"/><text x="${x}" y="${bottom + 16}" text-anchor="middle" fill="#666">${short(tick)}</text>`;
  });
  const bodies = strips.map((strip, at) => {
    const middle = top + panelTop + at * stripHeight + stripHeight / 2;
    return stripOf(strip, middle, scale.at, colours[at % colours.length] ?? "#333");
  });
  const heading = [group, unit, scale.isLog ? "logarithmic" : ""].filter((part) => part !== "").join(", ");
  return `<text x="16" y="${top + 16}" font-weight="600">${escaped(heading)}</text>\n${ticks.join("")}\n${bodies.join("\n")}`;
}

function stripOf(
  { name, values }: Series,
  middle: number,
  at: (value: number) => number,
  colour: string,
): string {
  const finite = values.filter(Number.isFinite);
  const every = Math.ceil(finite.length / dotsMax);
  const dots = finite
    .filter((_, index) => index % every === 0)
    .map((value, index) => {
      const y = middle + (((index * 7) % 13) - 6) * 1.4;
      return `<circle cx="${at(value).toFixed(1)}" cy="${y.toFixed(1)}" r="1.8"/>`;
    });
  const [low, mid, high, late] = [0.25, 0.5, 0.75, 0.95].map((share) => at(quantile(finite, share)));
  const x = (value = 0) => value.toFixed(1);
  const label = name.length > 48 ? `${name.slice(0, 47)}…` : name;
  return `<text x="${labelWidth - 12}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>
<g fill="${colour}" fill-opacity="0.35">${dots.join("")}</g>
<rect x="${x(low)}" y="${middle - 10}" width="${x((high ?? 0) - (low ?? 0))}" height="20" fill="${colour}" fill-opacity="0.15" stroke="${colour}"/>
<line x1="${x(mid)}" x2="${x(mid)}" y1="${middle - 12}" y2="${middle + 12}" stroke="${colour}" stroke-width="3"/>
<line x1="${x(late)}" x2="${x(late)}" y1="${middle - 8}" y2="${middle + 8}" stroke="${colour}" stroke-dasharray="2 2" stroke-width="2"/>
<text x="${plotted.right + 10}" y="${middle + 4}" fill="${colour}">${short(quantile(finite, 0.5))} · n ${finite.length}</text>`;
}

interface Scale {
  at(value: number): number;
  ticks: number[];
  isLog: boolean;
}

function scaleOf(values: readonly number[]): Scale {
  const max = Math.max(...values);
  const min = Math.min(...values);
  const span = plotted.right - plotted.left;
  if (min > 0 && max / min > linearSpanMax) {
    const [from, to] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
    const at = (value: number) => plotted.left + ((Math.log10(value) - from) / (to - from)) * span;
    return {
      at,
      ticks: Array.from({ length: to - from + 1 }, (_, step) => 10 ** (from + step)),
      isLog: true,
    };
  }
  const from = Math.min(0, min);
  const top = max > from ? max : from + 1;
  const step = niceStep((top - from) / 6);
  const ticks = Array.from({ length: 9 }, (_, index) => from + index * step).filter((tick) => tick <= top);
  return { at: (value) => plotted.left + ((value - from) / (top - from)) * span, ticks, isLog: false };
}

function niceStep(least: number): number {
  const unit = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((times) => times * unit >= least) ?? 10) * unit;
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
