/** An agent with the core tools alone buys in the shop and uses widgets from npm: what the shop and the widgets say is the outcome. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ShopServer, startShop } from "../../bench/demo/shop/server.ts";
import { shoppers } from "../../bench/demo/shoppers.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { type Agent, connectAgent, idOf } from "./fixture/agent.ts";
import { startWidgetSite, type WidgetSite } from "./fixture/widget-page.ts";

let running: TestService;
let shop: ShopServer;
let site: WidgetSite;
let agent: Agent;
let id: string;
before(async () => {
  running = await startTestService();
  [shop, site, agent] = await Promise.all([
    startShop(shoppers(1)),
    startWidgetSite(),
    connectAgent(running, "/mcp?profile=core"),
  ]);
  await createProfiles(running.client, 1);
  const { items } = (await agent.use("list_profiles")).body as { items: { id: string }[] };
  id = items[0]?.id ?? "";
  await agent.use("launch_profile", { id, headless: true });
});
after(async () => {
  await agent.use("stop_profile", { id });
  await agent.close();
  site.close();
  await Promise.all([shop.close(), running.stop()]);
});

const page = (tool: string, args: Record<string, unknown> = {}) => agent.use(`page_${tool}`, { id, ...args });
const seen = async () => (await page("snapshot")).text;
const node = async (shown: RegExp) => ({ node_id: idOf(await seen(), shown) });
/** What the tool says of the page is JSON between the marks. */
const said = async (tool: string, args: Record<string, unknown>) =>
  JSON.parse((await page(tool, args)).text.replaceAll(/<\/?page-content[^>]*>/g, ""));
const value = async (expression: string) => (await said("evaluate", { expression })).result;

async function openWidget(body: string, code: string): Promise<void> {
  await site.serve(body, code);
  await page("navigate", { url: site.origin });
  await page("wait_for", { selector: "body[data-ready]", state: "attached" });
}

test("it logs in to the shop, fills the cart in two tabs and reads the total", async () => {
  const [{ user, password } = { user: "", password: "" }] = shoppers(1);
  await page("navigate", { url: shop.url });
  await page("type", { ...(await node(/textbox "User"/)), text: user });
  await page("type", { ...(await node(/textbox "Password"/)), text: password, submit: true });
  await page("wait_for", { text: "Catalogue" });
  for (const [word, quantity] of [
    ["kettle", "1"],
    ["teapot", "2"],
  ]) {
    await page("type", { ...(await node(/searchbox "Search"/)), text: word, clear: true, submit: true });
    await page("click", await node(new RegExp(`link "[^"]*${word}`, "i")));
    await page("select", { ...(await node(/combobox "Quantity"/)), values: [quantity] });
    await page("click", await node(/button "Add to cart"/));
    await page("wait_for", { text: "Shipping" });
  }
  const { tab_id } = await said("open_tab", { url: `${shop.url}/cart` });
  assert.match(await seen(), /cell "3"/);
  await page("close_tab", { tab_id });
  assert.match(await seen(), /cell "3"/);
  assert.equal(shop.shop.visitOf(user).cart.items, 3);
});

test("it finds an option of react-select", async () => {
  await openWidget(
    `<div id="r"></div>`,
    `import Select from "react-select"; import { createRoot } from "react-dom/client";
     const options = ["Apple", "Banana", "Cherry"].map((label) => ({ value: label.toLowerCase(), label }));
     createRoot(r).render(<Select aria-label="Fruit" options={options} onChange={(one) => { globalThis.chosen = one.value; }} />);`,
  );
  await page("wait_for", { selector: "input" });
  await page("type", { ...(await node(/combobox "Fruit"/)), text: "che" });
  await page("press_key", { key: "Enter" });
  assert.equal(await value("chosen"), "cherry");
});

test("it writes and formats in Quill", async () => {
  await openWidget(
    `<div id="e"></div>`,
    `import Quill from "quill"; import "quill/dist/quill.snow.css"; globalThis.quill = new Quill("#e", { theme: "snow" });`,
  );
  const { node_id } = await said("wait_for", { selector: ".ql-editor" });
  await page("type", { node_id, text: "bold words" });
  await page("press_key", { key: "Control+a" });
  await page("click", await node(/button "bold"/));
  assert.deepEqual(await value("quill.getContents().ops[0]"), {
    insert: "bold words",
    attributes: { bold: true },
  });
});

test("it chooses a day in flatpickr and sees the field change", async () => {
  await openWidget(
    `<label>Day <input id="d"></label>`,
    `import flatpickr from "flatpickr"; import "flatpickr/dist/flatpickr.css"; flatpickr(d, { defaultDate: "2026-11-10" });`,
  );
  await page("click", await node(/textbox "Day/));
  await page("click", await node(/"November 26, 2026"/));
  assert.equal(await value("d.value"), "2026-11-26");
});

test("it hovers and moves the slider of MUI by keys", async () => {
  await openWidget(
    `<div id="r" style="padding:40px;width:300px"></div>`,
    `import { Slider, Tooltip } from "@mui/material"; import { createRoot } from "react-dom/client";
     createRoot(r).render(<Tooltip title="How loud"><div><Slider aria-label="Volume" defaultValue={10} onChange={(event, given) => { globalThis.volume = given; }} /></div></Tooltip>);`,
  );
  await page("wait_for", { selector: "input[type=range]", state: "attached" });
  const slider = await node(/slider "Volume"/);
  await page("hover", slider);
  await page("wait_for", { text: "How loud" });
  await page("press_key", { ...slider, key: "ArrowRight", count: 5 });
  assert.equal(await value("volume"), 15);
  const picture = await agent.client.callTool({ name: "page_screenshot", arguments: { id } });
  assert.equal(picture.content[0]?.type, "image");
});
