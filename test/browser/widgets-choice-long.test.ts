/** Lists, pickers, maps and sortable lists from npm, unchanged: what a person would get, in the widget's own state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { widgetPage } from "./fixture/widget-page.ts";

const page = widgetPage();
const value = (expression: string) => page.value(expression);
const clickLine = async (line: RegExp) => page.verbs.click({ node_id: await page.idOf(line) });

test("react-select: an option is found by typing and chosen", async () => {
  await page.widget(
    `<div id="r"></div>`,
    `import Select from "react-select"; import { createRoot } from "react-dom/client"; import { flushSync } from "react-dom";
     const options = ["Apple", "Banana", "Cherry"].map((label) => ({ value: label.toLowerCase(), label }));
     flushSync(() => createRoot(r).render(<Select aria-label="Fruit" options={options} onChange={(one) => { globalThis.chosen = one.value; }} />));`,
  );
  const fruit = await page.idOf(/combobox "Fruit"/);
  await page.verbs.type({ node_id: fruit, text: "ban", submit: true });
  assert.equal(await value("chosen"), "banana");
  await page.verbs.select({ node_id: await page.idOf(/combobox "Fruit"/), values: ["Cherry"] });
  assert.equal(await value("chosen"), "cherry");
});

test("MUI: a slider, a rating, a switch and a select take what is asked", async () => {
  await page.widget(
    `<div id="r"></div>`,
    `import { Slider, Rating, Switch, Select, MenuItem } from "@mui/material"; import { createRoot } from "react-dom/client"; import { flushSync } from "react-dom";
     globalThis.seen = {}; const note = (name) => (event, given) => { seen[name] = given?.props?.value ?? given; };
     flushSync(() => createRoot(r).render(<div style={{ width: 300, padding: 40 }}><Slider aria-label="Volume" defaultValue={10} onChange={note("slider")} />
       <Rating name="stars" onChange={note("rating")} /><Switch inputProps={{ "aria-label": "Dark" }} onChange={note("dark")} />
       <Select defaultValue="a" inputProps={{ "aria-label": "Size" }} onChange={note("size")}><MenuItem value="a">Small</MenuItem><MenuItem value="b">Large</MenuItem></Select></div>));`,
  );
  const slider = await page.find("input[type=range]");
  await page.verbs.pressKey({ node_id: slider, key: "ArrowRight", count: 5 });
  assert.equal(await value("seen.slider"), 15);
  await page.verbs.drag({
    from_node_id: await page.find(".MuiSlider-thumb"),
    to_node_id: await page.find(".MuiSlider-rail"),
    to_position: { x: 219, y: 1 },
  });
  assert.ok(
    Math.abs(Number(await value("seen.slider")) - 100) <= 1 || Number(await value("seen.slider")) > 60,
  );
  await page.verbs.click({ node_id: await page.find("input[name=stars][value='4']") });
  assert.equal(await value("seen.rating"), 4);
  await page.verbs.check({ node_id: await page.find("input[role=switch], .MuiSwitch-input"), checked: true });
  assert.equal(await value("seen.dark"), true);
  await page.click("[role=combobox]");
  await clickLine(/option "Large"/);
  assert.equal(await value("seen.size"), "b");
});

test("select2: its own list takes the choice into the hidden select", async () => {
  await page.widget(
    `<select id="s" style="width:200px"><option value="1">One</option><option value="2">Two</option></select>`,
    `import "./jquery-global.js"; import "select2/dist/css/select2.css"; const { default: select2 } = await import("select2"); if (!jQuery.fn.select2) select2(window, jQuery); jQuery("#s").select2();`,
  );
  await page.click(".select2-selection");
  await page.verbs.waitFor({ selector: ".select2-results__option" });
  await clickLine(/option "Two"/);
  assert.equal(await value("s.value"), "2");
});

test("Tom Select: options are chosen by typing", async () => {
  await page.widget(
    `<select id="s" multiple><option value="a">Alpha</option><option value="b">Beta</option></select>`,
    `import TomSelect from "tom-select"; import "tom-select/dist/css/tom-select.css"; globalThis.ts = new TomSelect(s, {});`,
  );
  await page.click(".ts-control");
  await page.type(".ts-control input", "bet");
  await page.verbs.waitFor({ selector: ".ts-dropdown .option[data-value=a]", state: "detached" }); // It searches a moment after the last key.
  await page.verbs.pressKey({ key: "Enter" });
  assert.deepEqual(await value("ts.getValue()"), ["b"]);
});

test("flatpickr: a day is chosen in its calendar", async () => {
  await page.widget(
    `<input id="d">`,
    `import flatpickr from "flatpickr"; import "flatpickr/dist/flatpickr.css"; globalThis.fp = flatpickr(d, { defaultDate: "2026-11-10" });`,
  );
  await page.click("#d");
  await page.verbs.click({ node_id: await page.find(".flatpickr-day[aria-label='November 26, 2026']") });
  assert.equal(await value("d.value"), "2026-11-26");
});

test("SortableJS: an item is dragged within its list and to a second one", async () => {
  await page.widget(
    `<style>li{height:40px;width:200px;background:silver;margin:4px}ul{float:left;min-height:200px;width:220px}</style><ul id="one"><li>A<li>B<li>C</ul><ul id="two"><li>X</ul>`,
    `import Sortable from "sortablejs"; for (const list of [one, two]) Sortable.create(list, { group: "g", animation: 0 });
     globalThis.orders = () => [one, two].map((list) => [...list.children].map((item) => item.textContent.trim()).join(""));`,
  );
  const drag = async (from: string, to: string, to_position: { x: number; y: number }) =>
    page.verbs.drag({ from_node_id: await page.find(from), to_node_id: await page.find(to), to_position });
  await drag("#one li:nth-child(1)", "#one li:nth-child(3)", { x: 100, y: 35 });
  assert.deepEqual(await value("orders()"), ["BCA", "X"]);
  await drag("#one li:nth-child(1)", "#two li:nth-child(1)", { x: 100, y: 35 });
  assert.deepEqual(await value("orders()"), ["CA", "XB"]);
});

test("Leaflet: the map is zoomed by its button and moved by a drag", async () => {
  await page.widget(
    `<div id="m" style="width:500px;height:400px"></div><p id="p" style="position:absolute;left:400px;top:300px;width:10px;height:10px;pointer-events:none"></p>`,
    `import L from "leaflet"; import "leaflet/dist/leaflet.css"; globalThis.map = L.map("m", { zoomAnimation: false, inertia: false }).setView([50, 10], 5);`,
  );
  await page.click(".leaflet-control-zoom-in");
  assert.equal(await value("map.getZoom()"), 6);
  const before = Number(await value("map.getCenter().lng"));
  const node = await page.find("#m");
  await page.verbs.drag({ from_node_id: node, to_node_id: node, to_position: { x: 100, y: 200 } });
  assert.ok(Number(await value("map.getCenter().lng")) > before);
});

test("FullCalendar: the next month is opened and an event is clicked", async () => {
  await page.widget(
    `<div id="c"></div>`,
    `import { Calendar } from "fullcalendar"; import dayGrid from "fullcalendar/daygrid";
     globalThis.calendar = new Calendar(c, { plugins: [dayGrid], initialView: "dayGridMonth", initialDate: "2026-11-10", headerToolbar: { left: "prev,next", center: "title", right: "" },
       events: [{ title: "Launch", start: "2026-12-01" }], eventClick({ event }) { globalThis.clicked = event.title; } }); calendar.render();`,
  );
  await clickLine(/button "Next/i);
  assert.equal(await value("calendar.getDate().getMonth()"), 11);
  await page.verbs.waitFor({ text: "Launch" });
  await clickLine(/"Launch"/);
  assert.equal(await value("clicked"), "Launch");
});

test("the list of antd: its options are drawn bit by bit, beside a listbox out of sight", async () => {
  await page.widget(
    `<div id="r"></div>`,
    `import Select from "@rc-component/select"; import "@rc-component/select/assets/index.css"; import { createRoot } from "react-dom/client"; import { flushSync } from "react-dom";
     const options = Array.from({ length: 200 }, (_, at) => ({ value: at, label: "Item " + at }));
     const list = (name, more) => <Select aria-label={name} style={{ width: 200 }} options={options} onChange={(chosen) => { globalThis[name] = chosen; }} {...more} />;
     flushSync(() => createRoot(r).render(<>{list("one")}{list("several", { mode: "multiple", defaultValue: [7, 199] })}</>));`,
  );
  const select = async (name: string, values: string[]) =>
    page.verbs.select({ node_id: await page.idOf(new RegExp(`combobox "${name}"`)), values });
  await select("one", ["Item 150"]);
  assert.equal(await value("one"), 150);
  await select("one", ["Item 3"]);
  assert.equal(await value("one"), 3);
  await select("several", ["Item 7", "Item 120"]);
  assert.deepEqual(await value("several"), [7, 120]);
  await assert.rejects(select("one", ["Item 1", "Item 2"]), conflict(/takes exactly one option/));
  await assert.rejects(select("one", ["Item 999"]), conflict(/no option "Item 999"/));
});
