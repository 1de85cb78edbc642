import type { Argument, Command, Option } from 'commander';

/** Names that are looked up in the database. */
export type NameKind =
  'serials' | 'realms' | 'resolvers' | 'policies' | 'users' | 'administrators' | 'settings';

/** The candidates for the place of a word. */
export interface CompletedWord {
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
export function completedWord(program: Command, typed: readonly string[]): CompletedWord {
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
