import { z } from 'zod';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import { actOf } from '../../../policy/caller.ts';
import type { EnrolmentService } from '../../../challenges/enrolment/enrolment-service.ts';
import { SESSION_COOKIE } from '../../authentication/authenticate.ts';
import { notAuthenticated } from '../../authentication/credentials.ts';
import type { AdministrationDialect, Dialect, EnrolmentDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method } from '../../endpoint-spec.ts';
import { QR_PARAMETERS, readQrOptions } from '../../qr-picture.ts';
import type { Reply } from '../../reply.ts';
import { optional, secret } from '../../request/parameter-schemas.ts';
import { done } from '../../answers.ts';
import { ENROLLED } from '../answers/enrolment-answers.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
const ENROLMENT = {
  type: optional('`ocra` or `ocra2`', 'ocra'),
  serial: optional('the serial of the token; default: a generated one', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
  genkey: optional('`1`: the server generates the key', '1'),
  otpkey: secret(optional('the key, hexadecimal')),
  sharedsecret: optional('`1`: the first phase of the roll-out', '1'),
  activationcode: secret(
    optional('the activation code: the second phase of the roll-out', 'GEZDGNBVGY3TQOJQ01'),
  ),
  message: optional('the text that the app displays in the second phase'),
  ocrasuite: optional('the OCRA suite', 'OCRA-1:HOTP-SHA256-6:C-QA64'),
  pin: secret(optional('the token PIN')),
  ocrapin: secret(optional('the PIN of a suite with P')),
  description: optional('a description of the token'),
} as const;

/** @returns the endpoints of /admin: sessions, and the enrolment of tokens */
export function adminEndpoints(
  enrolment: EnrolmentService,
  sessions: AdministratorService,
  dialect: Pick<Dialect, 'enrolment' | 'administration'>,
): Endpoint[] {
  return [
    initEndpoint(enrolment, dialect.enrolment),
    openSessionEndpoint(sessions, dialect.administration),
    closeSessionEndpoint(sessions, dialect.administration),
  ];
}

function initEndpoint(enrolment: EnrolmentService, dialect: EnrolmentDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/init',
      methods: METHODS,
      summary: 'enrols a token, at once or in the two phases of the roll-out',
      requires: 'admin:init',
      answers: ENROLLED,
      family: 'linotp2',
      usage: 'admin/init: enrol a token.',
      changesState: true,
      parameters: z.object({ ...ENROLMENT, ...QR_PARAMETERS }),
    },
    async ({ caller, parameters: { qr, width, ...request }, context }) => {
      const picture = readQrOptions({ qr, width });
      return dialect.enrolled(await enrolment.init(caller, request), context, picture);
    },
  );
}

function openSessionEndpoint(sessions: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/getsession',
      methods: METHODS,
      summary: 'opens a session',
      requires: 'password',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'the cookie `admin_session`' },
      family: 'linotp2',
      usage: 'admin/getsession: open a session.',
      changesState: true,
      parameters: z.object({}),
    },
    async ({ proven, caller, context, secure }) => {
      const opened = proven && (await sessions.openSession(proven, actOf(caller, 'admin/getsession')));
      if (opened === undefined) {
        throw notAuthenticated();
      }
      return withCookie(dialect.done(context), opened.session, opened.expiresAt, secure);
    },
  );
}

function closeSessionEndpoint(sessions: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/dropsession',
      methods: METHODS,
      summary: 'closes the session',
      requires: 'credential',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'removes the cookie `admin_session`' },
      family: 'linotp2',
      usage: 'admin/dropsession: close the session.',
      changesState: true,
      parameters: z.object({}),
    },
    async ({ session, login, caller, context, secure }) => {
      const act = actOf(caller, 'admin/dropsession');
      if (login !== undefined) {
        await sessions.closeSession(login, act, 'login');
      } else if (session !== undefined) {
        await sessions.closeSession(session, act);
      }
      return withCookie(dialect.done(context), '', new Date(0), secure);
    },
  );
}

function withCookie(reply: Reply, session: string, expiresAt: Date, secure: boolean): Reply {
  const attributes = [
    `${SESSION_COOKIE}=${session}`,
    'Path=/',
    `Expires=${expiresAt.toUTCString()}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ];
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': attributes.join('; ') } };
}
