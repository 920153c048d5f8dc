/** The routes of the DSL. Task threads do the work; nothing is saved. */
import { route } from "../route.ts";

export const dslRoutes = [
  route({
    id: "readDslSchema",
    method: "GET",
    path: "/v1/dsl/schema",
    access: "read",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "The JSON Schema of the DSL",
    description: "Draft 2020-12, generated from the types with which the compiler checks documents.",
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "DslSchemaReply", description: "Version and schema." },
    faults: {},
    handle: ({ actors }) => actors.tasks.dslSchema({}),
  }),
  route({
    id: "compileDsl",
    method: "POST",
    path: "/v1/dsl/compile",
    access: "read",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "Compile a DSL script to automation-library TypeScript",
    description:
      "Nothing is saved and no browser is opened. A recording of the DevTools Recorder is accepted too, with a warning for each step that was approximated. Problems are a 400 with one line each: JSON Pointer, block and what is wrong.",
    params: null,
    query: null,
    body: "CompileDslBody",
    reply: { status: 200, schema: "CompileDslReply", description: "The code." },
    faults: { 400: "dsl or target is missing, the DSL does not parse, or target is not a library." },
    async handle({ body, actors }) {
      const { code, nodeCount, target, warnings } = await actors.tasks.compileDsl(body);
      return { code, nodeCount, target, warnings };
    },
  }),
];
