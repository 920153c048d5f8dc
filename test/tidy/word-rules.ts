/** Banned words as data, each with what to write instead. */

export interface WordRule {
  pattern: RegExp;
  instead: string;
  except?: readonly string[];
  only?: string;
}

export const wordFiles: readonly string[] = ["test/tidy/word-rules.ts", "test/tidy/words.test.ts"];

export const wordRules: readonly WordRule[] = [
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, instead: "do it now, or open an issue" },
  { pattern: /\bnot implemented\b/i, instead: "leave the feature out until it works" },
  // Tests contain users' scripts as text. In code, biome refuses it.
  { pattern: /\bas any\b/, instead: "a type, or unknown and a check", except: ["test"] },
  // Casts are allowed where actors/README.md, "How the code reads", says so. The route table needs one for its records.
  {
    pattern: /\bas unknown as\b/,
    instead: "a check that narrows the type",
    except: ["actors/kernel", "storage", "gateway/route.ts"],
  },
  { pattern: /@ts-(ignore|expect-error|nocheck)/, instead: "correct the type" },
  { pattern: /\.(only|skip|todo)\(/, instead: "run every test", only: ".test.ts" },
  { pattern: /(\{\s*only|[{,]\s*(skip|todo))\s*[:,}]/, instead: "run every test", only: ".test.ts" },
  {
    pattern: /\bconsole\.\w+\(/,
    instead: "the actor's log",
    except: ["gateway/cli", "gateway/client", "bench", "test"],
  },
  {
    pattern: /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/,
    instead: "nothing; the package client has its own registry setting",
  },
  { pattern: /\b(deb|archive|security)\.[a-z]+\.(org|com)\b/, instead: "nothing; apt has its own sources" },
  { pattern: /(^|["'`\s(=])\/(work|root|home|Users)\//, instead: "a path that exists on every machine" },
  {
    pattern: /\breadFile\(["'`]\/proc\//,
    instead: "procFile, which does not allocate 64 KiB per read",
    except: ["bench", "test", ".setup"],
  },
  // X11 has its sockets at a fixed path.
  { pattern: /["'`]\/tmp\/(?!\.X11-unix\/)/, instead: "os.tmpdir()" },
  {
    pattern:
      /\b(let(s|ting)? go of|noughts?|in the same breath|what it left|the way out|handed(?! to the user| back)|befalls?)\b/i,
    instead: "the usual word: release, zeros, at once, output, exit, passed, happens to",
  },
];
