import type { Argument, Command, Option } from 'commander';

/** Names that are looked up in the database. */
export type NameKind =
  'serials' | 'realms' | 'resolvers' | 'policies' | 'users' | 'administrators' | 'settings';

/** What may stand in the place of a word. */
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
/** What the argument of a group's commands names. */
const BY_GROUP: Readonly<Record<string, NameKind>> = {
  ...{ realm: 'realms', resolver: 'resolvers', policy: 'policies', admin: 'administrators' },
  ...{ setting: 'settings', user: 'users' },
};

/** @param typed the words after the program's name; the last one is to be completed */
export function completedWord(program: Command, typed: readonly string[]): CompletedWord {
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? '';
  let command = program;
  let position = 0;
  let pending: Option | undefined;
  for (const word of before) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      pending = word.includes('=') ? undefined : takingValue(optionsOf(command), word);
    } else {
      const next: Command | undefined = command.commands.find((one) => one.name() === word);
      [command, position] = next === undefined ? [command, position + 1] : [next, 0];
    }
  }
  if (pending !== undefined) {
    return { words: pending.argChoices ?? [], names: BY_WORD[pending.attributeName()] };
  }
  if (current.startsWith('-')) {
    return { words: [...optionsOf(command).map(({ long }) => long ?? ''), '--help'] };
  }
  if (command.commands.length > 0) {
    return {
      words: command
        .createHelp()
        .visibleCommands(command)
        .map((one) => one.name()),
    };
  }
  return ofArgument(command, position);
}

function ofArgument(command: Command, position: number): CompletedWord {
  const given = command.registeredArguments;
  const last = given.at(-1);
  const argument: Argument | undefined = given[position] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) {
    return { words: [] };
  }
  // A new one has a new name.
  const group = command.name() === 'add' ? undefined : BY_GROUP[command.parent?.name() ?? ''];
  return {
    words: argument.argChoices ?? [],
    names: BY_WORD[argument.name()] ?? (position === 0 ? group : undefined),
  };
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
