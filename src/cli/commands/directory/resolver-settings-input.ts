import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { SETTINGS_RULES } from '../../../resolvers/settings/settings-rules.ts';
import type { Resolver, ResolverKind } from '../../../configuration/configuration.ts';
import { didYouMean, mayHoldPassword } from '../../../kernel/text.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import type { CommandContext } from '../../command-context.ts';
import { fileErrorText } from '../../read-file.ts';

/** One `KEY=VALUE` of the command line. */
export type SettingPair = readonly [key: string, value: string];

/** The options for a resolver's settings. */
export interface SettingOptions {
  readonly set?: readonly SettingPair[];
  /** Keys with files that hold their values. */
  readonly setFile?: readonly SettingPair[];
  readonly secretFile?: string;
  readonly askSecret?: true;
}

/** The settings of a resolver. */
type TypedSettings = Resolver['settings'];

/** @returns the pairs so far and one more, for an option that may be repeated */
export function collectPair(text: string, previous: readonly SettingPair[] = []): readonly SettingPair[] {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key.trim() === '') {
    throw new InvalidArgumentError('It must be KEY=VALUE.');
  }
  return [...previous, [key.trim(), value]];
}

/** @returns the keys so far and one more, for an option that may be repeated */
export function collectKey(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text.trim()];
}

/**
 * @param known the present settings; `unset` names some to remove
 * @returns the new settings, each under its canonical name
 * @throws CliFailure for a key that the kind does not have, for a secret, for a file that cannot be read
 */
export async function mergeSettings(
  kind: ResolverKind,
  known: TypedSettings,
  { set = [], setFile = [], unset = [] }: SettingOptions & { readonly unset?: readonly string[] },
): Promise<TypedSettings> {
  const read = await Promise.all(
    setFile.map(async ([key, file]): Promise<SettingPair> => [key, await readText(file)]),
  );
  const settings = new Map(Object.entries(known));
  for (const key of unset) {
    settings.delete(canonicalKey(kind, key));
  }
  for (const [key, value] of [...set, ...read]) {
    assertNoSecret(key, value);
    settings.set(canonicalKey(kind, key), value);
  }
  return Object.fromEntries(settings);
}

/** @returns the secret to log in with; undefined if none is given */
export async function readResolverSecret(
  context: CommandContext,
  name: string,
  { secretFile, askSecret }: SettingOptions,
): Promise<string | undefined> {
  return secretFile === undefined && askSecret === undefined
    ? undefined
    : context.newSecret(`Password of the resolver ${name}`, '--secret-file', secretFile);
}

/** @returns the keys of `--set`, by kind, for the help text */
export function settingsHelp(): string {
  const lines = Object.entries(SETTINGS_RULES).flatMap(([kind, { names, secret }]) => {
    const plain = names.filter((name) => name !== secret);
    return plain.length > 0 && kind !== 'passwd' ? [`  ${kind}: ${plain.join(', ')}`] : [];
  });
  return ['', 'Settings (--set KEY=VALUE), in any case:', ...lines].join('\n');
}

function canonicalKey(kind: ResolverKind, key: string): string {
  const { names, secret } = SETTINGS_RULES[kind];
  const found = names.find((name) => name.toLowerCase() === key.toLowerCase());
  if (found === undefined) {
    const plain = names.filter((name) => name !== secret);
    throw new CliFailure(
      `a resolver of the kind ${kind} has no setting ${key}${didYouMean(key, plain, ';')} it has ${plain.join(', ') || 'none'}`,
      EXIT_CODES.usage,
    );
  }
  if (found === secret) {
    throw new CliFailure(
      `${found} is secret: give it with --secret-file FILE (- for stdin) or --ask-secret`,
      EXIT_CODES.usage,
    );
  }
  return found;
}

/** Every user of the machine can read the command line, and the command prints the settings. */
function assertNoSecret(key: string, value: string): void {
  if (mayHoldPassword(value)) {
    throw new CliFailure(
      `${key} holds a password: leave it out, and give it with --secret-file FILE (- for stdin) or --ask-secret`,
      EXIT_CODES.usage,
    );
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliFailure(`cannot read ${file}: ${fileErrorText(error)}`);
  }
}
