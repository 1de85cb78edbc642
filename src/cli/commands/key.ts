import type { Command } from 'commander';
import { consequence } from '../../consequences/consequence.ts';
import type { Rotation } from '../../keys/key-service.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { type CommandContext, addCommand, addConfirmedCommand } from '../command-context.ts';
import { type Output, withProgress } from '../output.ts';
import { safeText } from '../../kernel/text.ts';

/** Adds the commands of `tankeeper key` that are no operations: only an operator at the machine changes keys. */
export function addKeyCommands(key: Command, context: CommandContext): void {
  addCommand(key, 'add', 'make a new key, where the others are; it seals nothing before `key rotate`', [
    'key add',
    '--json key add',
  ]).action(() => add(context));
  addRotate(key, context);
  addRetire(key, context);
}

function addRotate(key: Command, context: CommandContext): void {
  addConfirmedCommand(
    key,
    'rotate',
    'let the newest key seal, and seal all secrets anew with it; goes on where it was interrupted',
    ['key rotate', 'key rotate --yes'],
  ).action(async () => {
    await context.confirmed({
      foresee: async ({ keys: service }) =>
        consequence(
          (await service.list(false)).some(({ state }) => state === 'added'),
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

function addRetire(key: Command, context: CommandContext): void {
  addConfirmedCommand(key, 'retire', 'retire a key for ever; refused while a secret is sealed with it', [
    'key retire 0123456789abcdef',
    'key retire 0123456789abcdef --yes',
  ])
    .argument('<key>', 'the id of the key')
    .action(async (text: string) => {
      const keyId = keyIdIn(text);
      await context.confirmed({
        foresee: () =>
          Promise.resolve(consequence(true, 'keys.retired', `the key ${keyId} never seals again`)),
        act: ({ keys: service }, caller) => service.retire(caller, keyId),
        report: (isNew) => {
          context.output.done(
            `the key ${keyId} ${isNew ? 'is retired: no server needs it any more' : 'was retired before'}`,
            { key_id: keyId, retired: true, changed: isNew },
          );
          context.output.say(
            'It may be taken out of the key file. Keep a copy of it as long as you keep backups of the database from before.',
          );
        },
      });
    });
}

async function add(context: CommandContext): Promise<void> {
  const { output } = context;
  const { keyId, isMade, place } = await context.withServices(({ keys: service }, caller) =>
    service.add(caller),
  );
  output.done(
    `the key ${keyId} is registered; it ${isMade ? 'was made and is' : 'was already'} in ${place}`,
    { key_id: keyId, made: isMade, place },
  );
  output.say(
    'Renew the safe copy of the key file, and bring it to the other machines. Send SIGHUP to every server, which reads ' +
      "its keys then and logs it; one that starts needs the key from now on. Then: 'tankeeper key rotate'.",
  );
}

function report(output: Output, rotation: Rotation): void {
  const { keyId, isNew, resealed, left, unreadable, unreadableCount } = rotation;
  output.done(
    `the key ${keyId} ${isNew ? 'is the current one now' : 'was the current one already'}; ` +
      `${resealed} secrets sealed anew, ${left + unreadableCount} left`,
    { key_id: keyId, changed: isNew, resealed, left, unreadable, unreadable_count: unreadableCount },
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
      "Send SIGHUP to every server once more: until then it seals with the key that it had. Then: 'tankeeper key rotate' " +
        'for what it sealed meanwhile.',
    );
  }
}

/** @throws CliFailure if it is not the id of a key: it may be a key itself, which must not be shown */
function keyIdIn(text: string): string {
  if (!/^[0-9a-f]{16}$/.test(text)) {
    throw new CliFailure('the id of a key has 16 hexadecimal digits (tankeeper key list)', EXIT_CODES.usage);
  }
  return text;
}
