import { z } from 'zod';
import type { ListedSession } from '../../../administrators/session.ts';
import type { SessionService, UsedSession } from '../../../administrators/session-service.ts';
import { count, inEveryDialect, valueOf } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { type AdministratorCall, administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { SESSIONS } from '../answers/sign-in-answers.ts';

const OWNER = optional('whose sessions; default: those of the caller', 'anna');

/** @returns the endpoints that list and end sessions and logins */
export function sessionEndpoints(sessions: SessionService, dialect: AdministrationDialect): Endpoint[] {
  return [listEndpoint(sessions, dialect), endEndpoint(sessions, dialect)];
}

function listEndpoint(sessions: SessionService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/sessions',
      methods: ['GET', 'POST'],
      summary: 'open sessions and logins, newest first; those of the caller need no right',
      requires: 'admin:sessions',
      answers: SESSIONS,
      family: 'linotp2',
      usage: 'admin/sessions: list open sessions.',
      changesState: false,
      parameters: z.object({
        administrator: OWNER.describe('whose sessions, `*` for all; default: those of the caller'),
      }),
    },
    async ({ caller, parameters: { administrator }, context, ...call }) => {
      const owner = administrator ?? caller.principal.administrator;
      const listed = await sessions.list(caller, owner, usedSession(call));
      return dialect.value(listed.map(sessionObject), context);
    },
  );
}

function endEndpoint(sessions: SessionService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/sessions/end',
      methods: ['POST'],
      summary: 'ends one session, or all of an administrator; the number of those that were open',
      requires: 'admin:sessions',
      answers: inEveryDialect(valueOf(count)),
      family: 'linotp2',
      usage: 'admin/sessions/end: end sessions.',
      changesState: true,
      parameters: z.object({
        administrator: OWNER,
        id: optional('the session, as in /admin/sessions', '17'),
        all: optional('`1`, in place of `id`: every session', '1'),
      }),
    },
    async ({ caller, parameters: { administrator, id, all }, context }) => {
      const owner = administrator ?? caller.principal.administrator;
      return dialect.value(await sessions.end(caller, { owner, id, isAll: all === '1' }), context);
    },
  );
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

function sessionObject({ id, owner, kind, client, createdAt, expiresAt, isOwn }: ListedSession): object {
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
