import type { Command } from 'commander';
import { type Consequence, consequence } from '../../consequences/consequence.ts';
import type { KeyHolder, KeyState } from '../../keys/vault.ts';
import type { Rotation } from '../../keys/key-service.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { type CommandContext, addCommand, addConfirmedCommand } from '../command-context.ts';
import type { Column, Output, TextStyle } from '../output.ts';
import { withProgress } from '../progress.ts';
import { safeText } from '../../kernel/text.ts';

/** A key with the running servers. */
interface KeyRow extends KeyState {
  readonly servers: readonly KeyHolder[];
}

const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { key: 'keyid', title: 'KEY', value: ({ keyId }) => keyId },
  { key: 'state', title: 'STATE', value: stateOf, style: stateStyle },
  { key: 'added', title: 'ADDED', value: ({ addedAt }) => timeOf(addedAt) },
  { key: 'current_since', title: 'FIRST USED', value: ({ currentSince }) => timeOf(currentSince) },
  { key: 'retired', title: 'RETIRED', value: ({ retiredAt }) => timeOf(retiredAt) },
  { key: 'secrets', title: 'SECRETS', value: ({ secrets }) => secrets, align: 'right' },
  {
    key: 'servers',
    title: 'ON SERVERS',
    value: (row) => placesOf(row, true),
    text: (row) => `${placesOf(row, true).length} of ${row.servers.length}`,
    align: 'right',
  },
  { key: 'missing_on', value: (row) => placesOf(row, false) },
  {
    key: 'seals_on',
    value: ({ keyId, servers }) =>
      servers.filter(({ sealingKey }) => sealingKey === keyId).map(({ place }) => place),
  },
];

/** Adds `tankeeper keys …`: the keys that seal the secrets. A key itself is never shown. */
export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('the encryption keys that seal the secrets in the database: change them while servers run');
  addCommand(keys, 'list', 'show the keys, how many secrets each has sealed, and which servers have it', [
    'keys list',
    '--json keys list',
  ]).action(async () => {
    await list(context, context.output);
  });
  addCommand(keys, 'add', 'make a new key, where the others are; it seals nothing before keys rotate', [
    'keys add',
    '--json keys add',
  ]).action(async () => {
    await add(context, context.output);
  });
  addRotate(keys, context);
  addRetire(keys, context);
}

function addRotate(keys: Command, context: CommandContext): void {
  addCommand(
    keys,
    'rotate',
    'let the key that was added last seal, and seal all secrets anew with it; goes on where it was interrupted',
    ['keys rotate', 'keys rotate 0123456789abcdef --force'],
  )
    .argument('[key]', 'the id of another key')
    .option('--force', 'also while a server lacks the key: it cannot read what is sealed anew')
    .action(async (keyId: string | undefined, { force }: { force?: true }) => {
      const rotation = await withProgress(context.dependencies.io, 'sealing secrets', (progress) =>
        context.withServices(({ keys: service }, caller) =>
          service.rotate(caller, { force: force === true, keyId: keyIdIn(keyId) }, progress),
        ),
      );
      report(context.output, rotation);
    });
}

function addRetire(keys: Command, context: CommandContext): void {
  addConfirmedCommand(keys, 'retire', 'retire a key for ever; refused while a secret is sealed with it', [
    'keys retire 0123456789abcdef',
    'keys retire 0123456789abcdef --remove-from-file',
  ])
    .argument('<key>', 'the id of the key')
    .option('--remove-from-file', 'also take it out of the key file: backups from before need a copy of it')
    .action(async (text: string, { removeFromFile }: { removeFromFile?: true }) => {
      const keyId = keyIdIn(text) ?? '';
      await context.confirmed({
        foresee: () => Promise.resolve(retirementConsequences(keyId, removeFromFile === true)),
        act: ({ keys: service }, caller) =>
          service.retire(caller, keyId, { removeFromFile: removeFromFile === true }),
        done: ({ isNew, isRemoved }) => [
          [
            `the key ${keyId} ${isNew ? 'is retired: no server needs it any more' : 'was retired before'}`,
            ...(isRemoved ? ['it is no longer in the key file'] : []),
          ].join('; '),
          { keyid: keyId, retired: true, changed: isNew, removed_from_file: isRemoved },
          'Keep a copy of it as long as you keep backups of the database from before.',
        ],
      });
    });
}

function retirementConsequences(keyId: string, removesFromFile: boolean): readonly Consequence[] {
  return [
    { code: 'keys.retired', text: `the key ${keyId} never seals again` },
    ...consequence(
      removesFromFile,
      'keys.backups',
      'backups from before cannot be restored without a copy of it',
    ),
  ];
}

async function list(context: CommandContext, output: Output): Promise<void> {
  const { keys, servers } = await context.withServices(({ keys: service }, caller) => service.list(caller));
  const rows = keys.map((key) => ({ ...key, servers }));
  output.list(rows, KEY_COLUMNS, 'there is no key yet: the first start makes one');
  rows
    .filter(({ addedAt, retiredAt }) => addedAt !== undefined && retiredAt === undefined)
    .flatMap((row) => placesOf(row, false).map((place) => `${place} lacks the key ${row.keyId}`))
    .forEach((line) => {
      output.say(safeText(line));
    });
}

async function add(context: CommandContext, output: Output): Promise<void> {
  const { keyId, isMade, place } = await context.withServices(({ keys: service }, caller) =>
    service.add(caller),
  );
  output.done(
    `the key ${keyId} is registered; it ${isMade ? 'was made and is' : 'was already'} in ${place}`,
    { keyid: keyId, made: isMade, place },
  );
  output.say(
    'Servers that run load it by themselves; one that starts needs it from now on. On other machines, bring the key file ' +
      "there. Renew its safe copy. When 'tankeeper keys list' shows it on all servers: 'tankeeper keys rotate'.",
  );
}

function report(output: Output, rotation: Rotation): void {
  const { keyId, isNew, lagging, resealed, left, unreadable, unreadableCount } = rotation;
  output.done(
    `the key ${keyId} ${isNew ? 'is the current one now' : 'was the current one already'}; ` +
      `${resealed} secrets sealed anew, ${left + unreadableCount} left`,
    {
      keyid: keyId,
      changed: isNew,
      resealed,
      left,
      lagging,
      unreadable,
      unreadable_count: unreadableCount,
    },
  );
  lagging.forEach((place) => {
    output.say(safeText(`${place} seals with another key still`));
  });
  unreadable.forEach((secret) => {
    output.say(safeText(`cannot be opened: ${secret}`));
  });
  if (unreadableCount > 0) {
    throw new CliFailure(`${unreadableCount} secrets cannot be opened, and stay as they are`);
  }
  if (left > 0) {
    throw new CliFailure(`${left} secrets were held by others all the time: do it again`);
  }
}

function stateOf({ addedAt, isCurrent, currentSince, retiredAt, secrets }: KeyState): string {
  if (addedAt === undefined) {
    return 'unknown';
  }
  if (retiredAt !== undefined) {
    return 'retired';
  }
  if (isCurrent) {
    return 'current';
  }
  return currentSince === undefined ? 'added' : secrets > 0 ? 'needed' : 'unused';
}

function stateStyle(key: KeyRow): TextStyle | undefined {
  const styles: Readonly<Record<string, TextStyle>> = { current: 'green', retired: 'dim', unknown: 'red' };
  return styles[stateOf(key)];
}

function placesOf({ keyId, servers }: KeyRow, isThere: boolean): readonly string[] {
  return servers.filter(({ keyIds }) => keyIds.includes(keyId) === isThere).map(({ place }) => place);
}

function timeOf(time: Date | undefined): string | null {
  return time?.toISOString() ?? null;
}

/** @throws CliFailure if it is not the id of a key: it may be a key itself, which must not be shown */
function keyIdIn(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[0-9a-f]{16}$/.test(text)) {
    throw new CliFailure('the id of a key has 16 hexadecimal digits (tankeeper keys list)', EXIT_CODES.usage);
  }
  return text;
}
