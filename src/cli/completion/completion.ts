import { Argument, type Command, type Option } from 'commander';
import { addCommand, type CommandContext, operatorCaller } from '../command-context.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

/** The shells that `tankeeper completion` knows. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Adds `completion`, and the hidden `complete` that its scripts call. */
export function addCompletionCommands(program: Command, context: CommandContext): void {
  const { io } = context.dependencies;
  addCommand(
    program,
    'completion',
    'print the completion script of a shell: source <(tankeeper completion bash)',
    ['completion bash', 'completion fish'],
  )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => {
      io.stdout.write(completionScript(shell));
    });
  program
    .command('complete', { hidden: true })
    .description('print what may stand in the place of the last word of a line')
    .requiredOption('--line <text>', 'the line up to the cursor')
    .action(async ({ line }: { line: string }) => {
      const found = await complete(program, context, line);
      io.stdout.write(found.map((word) => `${word}\n`).join(''));
    });
}

async function complete(program: Command, context: CommandContext, line: string): Promise<readonly string[]> {
  const typed = splitShellLine(line).slice(1);
  const current = typed.at(-1) ?? '';
  const { words, names } = completedWord(program, typed);
  const found = names === undefined ? [] : await findNames(context, names, current);
  // A line end in a name would make two of it.
  return [...words, ...found].filter((word) => word.startsWith(current) && !/\p{Cc}/u.test(word));
}

/** Nothing is offered where the installation is away, or slow. */
async function findNames(
  context: CommandContext,
  kind: NameKind,
  prefix: string,
): Promise<readonly string[]> {
  const { dependencies } = context;
  const caller = operatorCaller(dependencies);
  const find = async (): Promise<readonly string[] | undefined> => {
    const { config } = await context.configuration();
    return dependencies.glance(config, (services) => knownNames(kind, prefix, services, caller));
  };
  return (await find().catch(() => undefined)) ?? [];
}

/** Names that are looked up in the database. */
type NameKind = 'serials' | 'realms' | 'resolvers' | 'policies' | 'users' | 'administrators' | 'settings';

/** The candidates for the place of a word. */
interface CompletedWord {
  readonly words: readonly string[];
  readonly names?: NameKind | undefined;
}

const BY_WORD: Readonly<Record<string, NameKind>> = {
  serial: 'serials',
  realm: 'realms',
  realms: 'realms',
  resolver: 'resolvers',
  resolvers: 'resolvers',
  user: 'users',
  administrator: 'administrators',
};
/** The kind of object that the argument of a group's commands names. */
const BY_GROUP: Readonly<Record<string, NameKind>> = {
  realm: 'realms',
  resolver: 'resolvers',
  policy: 'policies',
  admin: 'administrators',
  setting: 'settings',
  user: 'users',
};

/** @param typed the words after the program's name; the last one is completed */
function completedWord(program: Command, typed: readonly string[]): CompletedWord {
  const { command, position, pending } = placeAfter(program, typed.slice(0, -1));
  if (pending !== undefined) {
    return { words: pending.argChoices ?? [], names: BY_WORD[pending.attributeName()] };
  }
  if (typed.at(-1)?.startsWith('-') === true) {
    return { words: [...optionsOf(command).map(({ long }) => long ?? ''), '--help'] };
  }
  if (command.commands.length > 0) {
    const visible = command.createHelp().visibleCommands(command);
    return { words: visible.map((one) => one.name()) };
  }
  return ofArgument(command, position);
}

interface WordPosition {
  readonly command: Command;
  /** The number of arguments before it. */
  readonly position: number;
  /** The option whose value comes next. */
  readonly pending?: Option | undefined;
}

function placeAfter(program: Command, words: readonly string[]): WordPosition {
  return words.reduce<WordPosition>((place, word) => placeBehind(place, word), {
    command: program,
    position: 0,
  });
}

function placeBehind({ command, position, pending }: WordPosition, word: string): WordPosition {
  if (pending !== undefined) {
    return { command, position };
  }
  if (word.startsWith('-') && word !== '-') {
    return { command, position, pending: takingValue(optionsOf(command), word) };
  }
  const next = command.commands.find((one) => one.name() === word);
  return next === undefined ? { command, position: position + 1 } : { command: next, position: 0 };
}

function ofArgument(command: Command, position: number): CompletedWord {
  const argument = argumentAt(command, position);
  if (argument === undefined) {
    return { words: [] };
  }
  const named = BY_WORD[argument.name()] ?? (position === 0 ? namedByGroup(command) : undefined);
  return { words: argument.argChoices ?? [], names: named };
}

function argumentAt({ registeredArguments: all }: Command, position: number): Argument | undefined {
  const last = all.at(-1);
  return all[position] ?? (last?.variadic === true ? last : undefined);
}

/** @returns undefined for `add`: a new one has a new name */
function namedByGroup(command: Command): NameKind | undefined {
  return command.name() === 'add' ? undefined : BY_GROUP[command.parent?.name() ?? ''];
}

function optionsOf(command: Command | null): readonly Option[] {
  return command === null
    ? []
    : [...command.options.filter(({ hidden }) => !hidden), ...optionsOf(command.parent)];
}

function takingValue(options: readonly Option[], word: string): Option | undefined {
  const option = options.find(({ long, short }) => long === word || short === word);
  return option?.required === true || option?.optional === true ? option : undefined;
}

/** The most names that are offered. */
const MAX_NAMES = 200;

type Lookup = (services: Services, caller: Caller, prefix: string) => Promise<readonly string[]>;

const LOOKUPS: Readonly<Record<NameKind, Lookup>> = {
  serials: async ({ tokens }, caller, serialPrefix) =>
    (await tokens.list(caller, { serialPrefix, limit: MAX_NAMES })).map(({ serial }) => serial),
  realms: async ({ realms }) => (await realms.list()).map(({ name }) => name),
  resolvers: async ({ resolvers }) => (await resolvers.list()).map(({ name }) => name),
  policies: async ({ policies }) => (await policies.list()).map(({ name }) => name),
  administrators: async ({ administrators }) => (await administrators.list()).map(({ name }) => name),
  settings: async ({ settings }) => [...(await settings.inForce()).values.keys()],
  users: async ({ realms, users }, caller) => {
    const home = (await realms.list()).find(({ isDefault }) => isDefault);
    return home === undefined
      ? []
      : (await users.list(caller, { realm: home.name, resolver: undefined })).map(({ login }) => login);
  },
};

/** @returns names that begin with that prefix, a limited number; of users, those of the default realm */
async function knownNames(
  kind: NameKind,
  prefix: string,
  services: Services,
  caller: Caller,
): Promise<readonly string[]> {
  const names = await LOOKUPS[kind](services, caller, prefix);
  return names.filter((name) => name.startsWith(prefix)).slice(0, MAX_NAMES);
}

/** A part of a word: within quotation marks, after a backslash, or plain; an open quotation ends with the line. */
const PART = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gs;

/**
 * Splits a line as a shell does, and expands nothing in it.
 * @returns its words without quotation; the last one is being typed, and may be empty or have an open quotation
 */
export function splitShellLine(line: string): readonly string[] {
  const words = [''];
  for (const [, single, double, escaped, plain, blank] of line.trimStart().matchAll(PART)) {
    if (blank !== undefined) {
      words.push('');
    } else {
      const text = single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain ?? '';
      words.push(`${words.pop() ?? ''}${text}`);
    }
  }
  return words;
}

/**
 * Code of our own: the libraries (@bomb.sh/tab, tabtab) hand names to `compgen -W` or `eval`, which run commands in them.
 * Names come from administrators and directories: here no shell expands what is typed or found, and names are quoted.
 */
const BASH = `# bash completion for tankeeper: source <(tankeeper completion bash)
_tankeeper() {
  local line quoted typed=\${COMP_LINE:0:COMP_POINT}
  # What stands before a colon or an equals sign is a word of its own to bash, and is not replaced.
  local word=\${typed##*[[:space:]]}
  local before=\${word%"\${COMP_WORDS[COMP_CWORD]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v quoted '%q' "$line"
    COMPREPLY+=("\${quoted#"$before"}")
  done < <(tankeeper complete --line "$typed" 2> /dev/null)
}
complete -o bashdefault -o default -F _tankeeper tankeeper
`;

const ZSH = `#compdef tankeeper
# zsh completion for tankeeper: source <(tankeeper completion zsh), or a file _tankeeper in $fpath
_tankeeper() {
  local -a found
  found=("\${(@f)$(tankeeper complete --line "\${(j: :)words[1,CURRENT]}" 2> /dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    compadd -- "\${found[@]}"
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" = _tankeeper ]]; then
  _tankeeper "$@"
else
  compdef _tankeeper tankeeper
fi
`;

const FISH = `# fish completion for tankeeper: tankeeper completion fish | source
function __tankeeper_complete
    set -l found (tankeeper complete --line (commandline -cp | string collect) 2> /dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c tankeeper -f -a '(__tankeeper_complete)'
`;

/** @returns the text that the shell reads */
function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}
