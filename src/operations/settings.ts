import { z } from 'zod';
import { SETTING } from '../configuration/setting-service.ts';
import { consequence } from '../consequences/consequence.ts';
import { expected, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const key = text('the key', 'OcraMaxChallenges');
const READ = expected(
  z.string().nullable(),
  'the value that was read, or null: where another one is set, nothing is done',
);

const listSettings = operation({
  name: 'setting list',
  does: 'every setting with its value in force, its default and its meaning',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(SETTING),
  run: ({ settings }) => settings.describe(),
});

const setSetting = operation({
  name: 'setting set',
  does: 'sets a value, for all servers on the database',
  right: 'system:write',
  changes: true,
  input: { key, value: text('the value', '5'), expected: READ },
  run: async ({ settings }, caller, { value, ...input }) => {
    await settings.set(caller, new Map([[input.key, value]]), readOf(input));
  },
  asks: ({ settings }, _caller, { value, ...input }) => {
    settings.check(new Map([[input.key, value]]));
    const unread = settings.unreadReason(input.key);
    return Promise.resolve(consequence(unread !== undefined, 'setting.unread', unread ?? ''));
  },
  says: (_none, input) => `${input.key} is ${input.value}`,
});

const removeSetting = operation({
  name: 'setting remove',
  does: 'removes a value; the default counts again',
  right: 'system:write',
  changes: true,
  input: { key, expected: READ },
  run: ({ settings }, caller, input) => settings.remove(caller, input.key, readOf(input)),
  says: (_none, input) => `${input.key} has its default again`,
});

function readOf(input: {
  readonly key: string;
  readonly expected?: string | null | undefined;
}): ReadonlyMap<string, string | null> | undefined {
  return input.expected === undefined ? undefined : new Map([[input.key, input.expected]]);
}

export const SETTINGS: OperationGroup = {
  name: 'setting',
  about: 'configuration values in the database, such as OcraMaxChallenges (the environment: config)',
  operations: [listSettings, setSetting, removeSetting],
};
