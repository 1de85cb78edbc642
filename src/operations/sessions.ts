import { z } from 'zod';
import { filter, flag } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

/** Of one's own sessions no right is needed, which the service decides. */
const ANY_CREDENTIAL = [] as const;

const list = operation({
  name: 'session list',
  does: 'open sessions and logins of administrators, newest first; those of others take the right admin:sessions',
  right: ANY_CREDENTIAL,
  changes: false,
  input: {
    administrator: filter("whose, * for all; default: the caller's, of the command all", 'anna'),
  },
  output: z.array(
    z.object({
      id: z.string().meta({ column: 'ID' }),
      owner: z.string().meta({ column: 'ADMINISTRATOR' }),
      kind: z.enum(['session', 'login']).meta({ column: 'KIND' }),
      client: z.string().meta({ column: 'CLIENT' }),
      createdAt: z.date().meta({ column: 'CREATED' }),
      expiresAt: z.date().meta({ column: 'EXPIRES' }),
      isOwn: z.boolean().describe('true: the session that asks'),
    }),
  ),
  run: ({ sessions }, caller, { administrator }) => sessions.list(caller, administrator),
});

const end = operation({
  name: 'session end',
  does: 'ends a session, or all of an administrator: refused within a second; the number of those that were open',
  right: ANY_CREDENTIAL,
  changes: true,
  input: {
    administrator: filter("whose; default: the caller's", 'anna'),
    id: filter('the session, as session list names it', '17'),
    all: flag('every session, in place of one'),
  },
  output: z.int().nonnegative(),
  run: ({ sessions }, caller, { administrator: owner, id, all: isAll }) =>
    sessions.end(caller, { owner, id, isAll }),
  says: (count) => `sessions ended: ${count}`,
});

export const SESSIONS: OperationGroup = {
  name: 'session',
  about: 'open sessions and logins of administrators',
  operations: [list, end],
};
