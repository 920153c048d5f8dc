/**
 * Which processors occur with which graphics, as data. Integrated graphics identify the processor generation: by PCI device id on
 * Windows, by Mesa's short name on Linux, by chip on a Mac.
 */

/** Possible thread counts per GPU; the first match counts. Device ids are unique per maker only. */
const threadsByGpu: readonly { maker: string; gpu: RegExp; threads: readonly number[] }[] = [
  { maker: "Apple", gpu: /Apple M1(,|$)/, threads: [8] },
  { maker: "Apple", gpu: /Apple M1 Pro/, threads: [8, 10] },
  { maker: "Apple", gpu: /Apple M1 Max/, threads: [10] },
  { maker: "Apple", gpu: /Apple M1 Ultra/, threads: [20] },
  { maker: "Apple", gpu: /Apple M2(,|$)/, threads: [8] },
  { maker: "Apple", gpu: /Apple M2 Pro/, threads: [10, 12] },
  { maker: "Apple", gpu: /Apple M2 Max/, threads: [12] },
  { maker: "Apple", gpu: /Apple M2 Ultra/, threads: [24] },
  { maker: "Apple", gpu: /Apple M3(,|$)/, threads: [8] },
  { maker: "Apple", gpu: /Apple M3 Pro/, threads: [11, 12] },
  { maker: "Apple", gpu: /Apple M3 Max/, threads: [14, 16] },
  { maker: "Apple", gpu: /Apple M3 Ultra/, threads: [28, 32] },
  { maker: "Apple", gpu: /Apple M4(,|$)/, threads: [8, 10] },
  { maker: "Apple", gpu: /Apple M4 Pro/, threads: [12, 14] },
  { maker: "Apple", gpu: /Apple M4 Max/, threads: [14, 16] },
  { maker: "Apple", gpu: /Apple M5(,|$)/, threads: [10] },
  // An unlisted chip: no count is known to be right.
  { maker: "Apple", gpu: /./, threads: [] },
  { maker: "Intel", gpu: /Metal.*(UHD Graphics 617|Iris)/, threads: [4, 8] },
  { maker: "Intel", gpu: /Metal/, threads: [4, 8, 12, 16] },
  { maker: "AMD", gpu: /Metal.*Radeon/, threads: [8, 12, 16, 20] },
  // Intel up to 4th generation and low-power chips; up to 8th; Ice Lake; Tiger Lake.
  {
    maker: "Intel",
    gpu: /0x0000(0[0-4]|0A|0D|16|19|22|31|46D|4E|59|5A|87)|\((SNB|IVB|HSW|BDW|SKL|KBL|WHL|ICL|JSL)\b/,
    threads: [4, 8],
  },
  {
    maker: "Intel",
    gpu: /\bHD Graphics( [2-6]\d\d0?)?,|UHD Graphics 6[012]\d|0x00003EA|Iris\S* Plus|0x00008A/,
    threads: [4, 8],
  },
  { maker: "Intel", gpu: /0x00009A(40|49|78)|\(TGL /, threads: [4, 8] },
  { maker: "Intel", gpu: /0x00009A/, threads: [12, 16] },
  // Coffee Lake, Comet Lake, Rocket Lake.
  { maker: "Intel", gpu: /0x00003E|\(CFL /, threads: [6, 8, 12, 16] },
  { maker: "Intel", gpu: /0x00009B(21|41|A|CA|CC)/, threads: [4, 8, 12] },
  { maker: "Intel", gpu: /0x00009B|\(CML /, threads: [4, 8, 12, 16, 20] },
  { maker: "Intel", gpu: /0x00004C|\(RKL /, threads: [8, 12, 16] },
  // Alder Lake and Raptor Lake, of desktops and of laptops; Meteor Lake and Arrow Lake; Lunar Lake.
  { maker: "Intel", gpu: /0x0000(468|469)|\(ADL-S/, threads: [8, 12, 16, 20, 24] },
  { maker: "Intel", gpu: /0x0000A78|\(RPL-S/, threads: [8, 16, 20, 24, 28, 32] },
  { maker: "Intel", gpu: /0x000046|0x0000A7|\((ADL|RPL)/, threads: [8, 12, 16, 20] },
  { maker: "Intel", gpu: /0x00007D|\((MTL|ARL)/, threads: [12, 14, 16, 20, 22, 24] },
  { maker: "Intel", gpu: /0x000064|\(LNL\)/, threads: [8] },
  // AMD: Raven and similar, Renoir to Rembrandt, Phoenix, Raphael (Mesa uses the processor's name), Strix.
  { maker: "AMD", gpu: /0x000098|0x000015(D8|DD)|0x00001506|raven|mendocino ACO/, threads: [4, 8] },
  {
    maker: "AMD",
    gpu: /0x00001636|0x00001638|0x0000164C|0x000015E7|0x00001681|renoir|rembrandt/,
    threads: [8, 12, 16],
  },
  { maker: "AMD", gpu: /0x000015(BF|C8)|0x00001900|phoenix/, threads: [12, 16] },
  { maker: "AMD", gpu: /16-Core Processor/, threads: [32] },
  { maker: "AMD", gpu: /8-Core Processor/, threads: [16] },
  { maker: "AMD", gpu: /0x0000164E|raphael/, threads: [12, 16, 24, 32] },
  { maker: "AMD", gpu: /0x0000150E|0x00001114|gfx115/, threads: [12, 16, 20, 24] },
  // Recent cards do not occur with small processors.
  { maker: "NVIDIA", gpu: /RTX [345]0\d\d/, threads: [8, 12, 16, 20, 24, 28, 32] },
];

const anyThreads: readonly number[] = [4, 6, 8, 10, 12, 14, 16, 20, 22, 24, 28, 32];

/** Possible thread counts for a GPU. Null means the host's own GPU: any count. Empty: unknown GPU. */
export function threadsOf(renderer: string | null): readonly number[] {
  const row =
    renderer === null
      ? undefined
      : threadsByGpu.find(({ maker, gpu }) => renderer.startsWith(`ANGLE (${maker}`) && gpu.test(renderer));
  return row?.threads ?? anyThreads;
}

const firstSystemOfChip: Record<string, number> = { M1: 11, M2: 12, M3: 13, M4: 15, M5: 26 };

/** The first macOS version that runs on an Apple chip; 0 for other graphics. */
export function firstMacosOf(renderer: string): number {
  const chip = /Apple (M\d)/.exec(renderer)?.[1];
  return chip === undefined ? 0 : (firstSystemOfChip[chip] ?? Number.POSITIVE_INFINITY);
}
