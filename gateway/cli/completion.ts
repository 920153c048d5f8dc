/** `troupe completion`: a shell's completion, generated from the grammar of the commands. */
import type { Command } from "commander";
import { inQuotes } from "./output.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

interface Choice {
  word: string;
  text: string;
}

interface Place {
  /** `profiles launch`; empty for `troupe` itself. */
  path: string;
  commands: Choice[];
  flags: Choice[];
  values: Record<string, readonly string[]>;
}

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, "");
  return { bash, zsh, fish }[shell](places);
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const subs = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const own: Place = {
    path,
    commands: subs.map((sub) => ({ word: sub.name(), text: sub.summary() || sub.description() })),
    flags: options.flatMap(({ long, description }) => (long ? [{ word: long, text: description }] : [])),
    values: Object.fromEntries(
      options.flatMap(({ long, required, argChoices }) =>
        long && required ? [[long, argChoices ?? []] as const] : [],
      ),
    ),
  };
  const below = subs.flatMap((sub) =>
    [sub.name(), ...sub.aliases()].flatMap((name) => placesOf(sub, path === "" ? name : `${path} ${name}`)),
  );
  return [own, ...below];
}

function placeCases(places: Place[]): string[] {
  return places.filter(({ path }) => path !== "").map(({ path }) => `${inQuotes(path)}) place="$word" ;;`);
}

/** Only command words change the place; flags and values between them do not. */
function bash(places: Place[]): string {
  return `# bash completion for troupe; load it with: source <(troupe completion bash)
_troupe() {
  local place="" word i cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # \`--flag=value\` is three words.
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${place:+$place }\${COMP_WORDS[i]}"
    case "$word" in
${indent(placeCases(places), 6)}
    esac
  done
  case "$place $prev" in
${indent(places.flatMap(valueCases), 4)}
  esac
  case "$place" in
${indent(
  places.map(({ path, commands, flags }) => {
    const words = [...commands, ...flags].map(({ word }) => word).join(" ");
    return `${inQuotes(path)}) COMPREPLY=($(compgen -W "${words}" -- "$cur")) ;;`;
  }),
  4,
)}
  esac
}
complete -o default -F _troupe troupe
`;
}

function valueCases({ path, values }: Place): string[] {
  return Object.entries(values).map(([flag, choices]) => {
    const words = choices.length === 0 ? "" : `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur")); `;
    return `${inQuotes(`${path} ${flag}`)}) ${words}return ;;`;
  });
}

function zsh(places: Place[]): string {
  return `#compdef troupe
# zsh completion for troupe; put it into a file called _troupe in a folder of $fpath
_troupe() {
  local place="" word i prev="\${words[CURRENT-1]}"
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${place:+$place }\${words[i]}"
    case "$word" in
${indent(placeCases(places), 6)}
    esac
  done
  case "$place $prev" in
${indent(places.flatMap(zshValues), 4)}
  esac
  case "$place" in
${indent(
  places.map(({ path, commands, flags }) => {
    const words = [...commands, ...flags].map(({ word, text }) => inQuotes(`${word}:${brief(text)}`));
    return `${inQuotes(path)}) found=(${words.join(" ")}) ;;`;
  }),
  4,
)}
  esac
  _describe 'troupe' found || _files
}
if [ "$funcstack[1]" = "_troupe" ]; then _troupe "$@"; else compdef _troupe troupe; fi
`;
}

function zshValues({ path, values }: Place): string[] {
  return Object.entries(values).map(([flag, choices]) => {
    const offer = choices.length === 0 ? "_files" : `compadd -- ${choices.join(" ")}`;
    return `${inQuotes(`${path} ${flag}`)}) ${offer}; return ;;`;
  });
}

function fish(places: Place[]): string {
  const lines = places.flatMap(({ path, commands, flags, values }) => {
    const at = `complete -c troupe -n ${inQuotes(`test (__troupe_place) = "${path}"`)}`;
    return [
      ...commands.map(({ word, text }) => `${at} -f -a ${inQuotes(word)} -d ${inQuotes(brief(text))}`),
      ...flags.map(({ word, text }) => {
        const choices = values[word];
        const value =
          choices === undefined ? "" : choices.length === 0 ? " -r" : ` -x -a ${inQuotes(choices.join(" "))}`;
        return `${at} -l ${word.slice(2)}${value} -d ${inQuotes(brief(text))}`;
      }),
    ];
  });
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => inQuotes(path));
  return `# fish completion for troupe; load it with: troupe completion fish | source
function __troupe_place
  set -l place ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$place $word")
    contains -- "$next" ${paths.join(" ")}; and set place "$next"
  end
  echo -- "$place"
end
${lines.join("\n")}
`;
}

/** The first sentence, without characters that a shell interprets. */
function brief(text: string): string {
  const [first = ""] = text.split(/(?<=[.;])\s/);
  return first.replace(/[^\w ,./()=<>-]/g, "").slice(0, 80);
}

function indent(lines: string[], spaces: number): string {
  return lines.map((line) => " ".repeat(spaces) + line).join("\n");
}
