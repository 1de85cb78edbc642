import { z } from 'zod';
import { KEY } from '../keys/key-service.ts';
import { flag } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

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
