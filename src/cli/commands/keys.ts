import type { Command } from 'commander';
import { consequence } from '../../consequences/consequence.ts';
import type { KeyReport, Rotation } from '../../keys/key-service.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { type CommandContext, addCommand, addConfirmedCommand } from '../command-context.ts';
import type { Column, Output, TextStyle } from '../output.ts';
import { withProgress } from '../progress.ts';
import { safeText } from '../../kernel/text.ts';

type KeyRow = KeyReport['keys'][number];

const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { key: 'keyid', title: 'KEY', value: ({ keyId }) => keyId },
  { key: 'state', title: 'STATE', value: stateOf, style: stateStyle },
  { key: 'added', title: 'ADDED', value: ({ addedAt }) => timeOf(addedAt) },
  { key: 'current_since', title: 'FIRST USED', value: ({ currentSince }) => timeOf(currentSince) },
  { key: 'retired', title: 'RETIRED', value: ({ retiredAt }) => timeOf(retiredAt) },
  { key: 'secrets', title: 'SECRETS', value: ({ secrets = 0 }) => secrets, align: 'right' },
];

/** Adds `tankeeper keys …`: the keys that seal the secrets. A key itself is never shown. */
export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('the encryption keys that seal the secrets in the database: change them while servers run');
  addCommand(keys, 'list', 'show the keys, and how many secrets each has sealed', [
    'keys list',
    '--json keys list',
  ]).action(async () => {
    const report = await context.withServices(({ keys: service }) => service.show(true));
    context.output.list(report.keys, KEY_COLUMNS, 'there is no key yet: the first start makes one');
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
  addConfirmedCommand(
    keys,
    'rotate',
    'let the newest key seal, and seal all secrets anew with it; goes on where it was interrupted',
    ['keys rotate', 'keys rotate --yes'],
  ).action(async () => {
    await context.confirmed({
      foresee: async ({ keys: service }) =>
        consequence(
          (await service.show(false)).keys.some(isWaiting),
          'keys.unread',
          'a server that has not read the newest key (at SIGHUP, or its start) can open no secret from now on',
        ),
      act: async ({ keys: service }, caller) => {
        const rotation = await withProgress(context.dependencies.io, 'sealing secrets', (progress) =>
          service.rotate(caller, progress),
        );
        report(context.output, rotation);
      },
    });
  });
}

function addRetire(keys: Command, context: CommandContext): void {
  addConfirmedCommand(keys, 'retire', 'retire a key for ever; refused while a secret is sealed with it', [
    'keys retire 0123456789abcdef',
    'keys retire 0123456789abcdef --yes',
  ])
    .argument('<key>', 'the id of the key')
    .action(async (text: string) => {
      const keyId = keyIdIn(text);
      await context.confirmed({
        foresee: () =>
          Promise.resolve(consequence(true, 'keys.retired', `the key ${keyId} never seals again`)),
        act: ({ keys: service }, caller) => service.retire(caller, keyId),
        done: (isNew) => [
          `the key ${keyId} ${isNew ? 'is retired: no server needs it any more' : 'was retired before'}`,
          { keyid: keyId, retired: true, changed: isNew },
          'It may be taken out of the key file. Keep a copy of it as long as you keep backups of the database from before.',
        ],
      });
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
    'Renew the safe copy of the key file, and bring it to the other machines. Send SIGHUP to every server, which reads ' +
      "its keys then and logs it; one that starts needs the key from now on. Then: 'tankeeper keys rotate'.",
  );
}

function report(output: Output, rotation: Rotation): void {
  const { keyId, isNew, resealed, left, unreadable, unreadableCount } = rotation;
  output.done(
    `the key ${keyId} ${isNew ? 'is the current one now' : 'was the current one already'}; ` +
      `${resealed} secrets sealed anew, ${left + unreadableCount} left`,
    { keyid: keyId, changed: isNew, resealed, left, unreadable, unreadable_count: unreadableCount },
  );
  unreadable.forEach((secret) => {
    output.say(safeText(`cannot be opened: ${secret}`));
  });
  if (unreadableCount > 0) {
    throw new CliFailure(`${unreadableCount} secrets cannot be opened, and stay as they are`);
  }
  // Servers that have not read the change yet go on sealing with the key before: the second rotation takes that.
  if (left > 0 && !isNew) {
    throw new CliFailure(
      `${left} secrets were held by others all the time, or sealed meanwhile by a server that needs a SIGHUP: do it again`,
    );
  }
  if (isNew) {
    output.say(
      "Send SIGHUP to every server once more: until then it seals with the key that it had. Then: 'tankeeper keys rotate' " +
        'for what it sealed meanwhile.',
    );
  }
}

/** @returns true for a key that was added and has never sealed */
function isWaiting({ addedAt, currentSince, retiredAt }: KeyRow): boolean {
  return addedAt !== undefined && currentSince === undefined && retiredAt === undefined;
}

function stateOf({ addedAt, isCurrent, currentSince, retiredAt, secrets = 0 }: KeyRow): string {
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

function timeOf(time: Date | undefined): string | null {
  return time?.toISOString() ?? null;
}

/** @throws CliFailure if it is not the id of a key: it may be a key itself, which must not be shown */
function keyIdIn(text: string): string {
  if (!/^[0-9a-f]{16}$/.test(text)) {
    throw new CliFailure('the id of a key has 16 hexadecimal digits (tankeeper keys list)', EXIT_CODES.usage);
  }
  return text;
}
