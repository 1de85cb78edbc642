import { z } from 'zod';
import { KEY_STATES } from '../keys/key-service.ts';
import { flag } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const KEY = z.object({
  keyId: z
    .string()
    .meta({ column: 'KEY', description: '16 hexadecimal digits, which tell nothing of the key' }),
  state: z.enum(KEY_STATES).meta({
    column: 'STATE',
    description:
      'current: it seals; added: it has never sealed; needed, unused: it sealed, and secrets are sealed with it or not; ' +
      'former: one of both, which only a count tells; unknown: secrets are sealed with it, but it is not registered',
  }),
  createdAt: z.date().optional().meta({ column: 'CREATED' }),
  currentSince: z
    .date()
    .optional()
    .meta({ column: 'FIRST USED', description: 'absent: it has never sealed' }),
  retiredAt: z.date().optional().meta({ column: 'RETIRED' }),
  secrets: z
    .int()
    .nonnegative()
    .optional()
    .meta({ column: 'SECRETS', description: 'the number of secrets sealed with it; absent: not counted' }),
});

const list = operation({
  name: 'key list',
  does: 'the encryption keys that seal the secrets in the database',
  right: 'system:read',
  changes: false,
  input: { count: flag('count the secrets of each key, which reads all tokens') },
  output: z.array(KEY),
  run: ({ keys }, _caller, { count }) => keys.list(count),
});

export const KEYS: OperationGroup = {
  name: 'key',
  about: 'the encryption keys that seal the secrets in the database: change them while servers run',
  operations: [list],
};
