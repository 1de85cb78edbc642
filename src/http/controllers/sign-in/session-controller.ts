import { z } from 'zod';
import type { ListedSession } from '../../../administrators/session.ts';
import { isOwner, type SessionService, type UsedSession } from '../../../administrators/session-service.ts';
import type { Caller } from '../../../policy/caller.ts';
import type { RequiredRights } from '../../../policy/access-control.ts';
import { count, type Shown } from '../../answers.ts';
import { type AdministratorCall, type Endpoint, valueChange, valueReading } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameters.ts';

const OWNER = optional('whose sessions; default: those of the caller', 'anna');

const SESSION = z.strictObject({
  id: z.string(),
  administrator: z.string(),
  kind: z.enum(['session', 'login']),
  client: z.string(),
  created: z.iso.datetime(),
  expires: z.iso.datetime(),
  own: z.boolean(),
});

export function sessionEndpoints(sessions: SessionService): Endpoint[] {
  return [listEndpoint(sessions), endEndpoint(sessions)];
}

function listEndpoint(sessions: SessionService): Endpoint {
  return valueReading(
    {
      path: '/admin/sessions',
      summary: 'open sessions and logins, newest first; those of the caller need no right',
      requires: 'admin:sessions',
      requiresFor: rightsFor,
      value: z.array(SESSION),
      example: [
        {
          id: '17',
          administrator: 'anna',
          kind: 'login',
          client: '192.0.2.7',
          created: '2026-11-20T12:00:00.000Z',
          expires: '2026-11-20T13:00:00.000Z',
          own: true,
        },
      ],
      parameters: {
        administrator: OWNER.describe('whose sessions, `*` for all; default: those of the caller'),
      },
    },
    async ({ caller, parameters: { administrator }, ...call }) => {
      const owner = administrator ?? caller.principal.administrator;
      const listed = await sessions.list(caller, owner, usedSession(call));
      return listed.map(shownSession);
    },
  );
}

function endEndpoint(sessions: SessionService): Endpoint {
  return valueChange(
    {
      path: '/admin/sessions/end',
      summary: 'ends one session, or all of an administrator; the number of those that were open',
      requires: 'admin:sessions',
      requiresFor: rightsFor,
      value: count,
      parameters: {
        administrator: OWNER,
        id: optional('the session, as in /admin/sessions', '17'),
        all: optional('`1`, in place of `id`: every session', '1'),
      },
    },
    ({ caller, parameters: { administrator, id, all } }) => {
      const owner = administrator ?? caller.principal.administrator;
      return sessions.end(caller, { owner, id, isAll: all === '1' });
    },
  );
}

function rightsFor(
  { administrator }: { readonly administrator?: string | undefined },
  caller: Caller,
): RequiredRights {
  return isOwner(caller, administrator ?? caller.principal.administrator) ? [] : ['admin:sessions'];
}

function usedSession({
  session,
  login,
}: Pick<AdministratorCall<unknown>, 'session' | 'login'>): UsedSession | undefined {
  if (login !== undefined) {
    return { secret: login, kind: 'login' };
  }
  return session === undefined ? undefined : { secret: session, kind: 'session' };
}

function shownSession({
  id,
  owner,
  kind,
  client,
  createdAt,
  expiresAt,
  isOwn,
}: ListedSession): Shown<typeof SESSION> {
  return {
    id,
    administrator: owner,
    kind,
    client,
    created: createdAt.toISOString(),
    expires: expiresAt.toISOString(),
    own: isOwn,
  };
}
