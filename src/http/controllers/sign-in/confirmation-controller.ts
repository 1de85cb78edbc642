import { z } from 'zod';
import type {
  BegunConfirmation,
  Confirmed,
  ConfirmationService,
} from '../../../administrators/confirmation-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { CONFIRMATION, dropSignIn, keepSignIn, readSignIn } from '../../authentication/cookies.ts';
import { administratorEndpoint, answerWithCookie, type Call, type Endpoint } from '../../endpoint-spec.ts';
import type { Guards } from '../../limits/guards.ts';
import type { Reply } from '../../reply.ts';
import { optional, required, secret } from '../../request/parameters.ts';

const confirmed = z.strictObject({ confirmed: z.literal(true), until: z.iso.datetime() });
const expires = z.iso.datetime();

/** The answers of /admin/confirmation. */
const BEGUN = answerWithCookie(
  z.union([
    confirmed,
    z.strictObject({ confirmed: z.literal(false), second_factor: z.literal('token'), expires }),
    z.strictObject({
      confirmed: z.literal(false),
      second_factor: z.literal('passkey'),
      expires,
      options: z.looseObject({ challenge: z.string() }),
    }),
  ]),
  {
    detail: z.strictObject({ transactionid: z.string(), data: z.string() }).optional(),
    example: { value: { confirmed: true, until: '2026-11-20T12:05:00.000Z' } },
  },
);

/** The answers of /admin/confirmation/finish. */
const FINISHED = answerWithCookie(z.union([confirmed, z.strictObject({ confirmed: z.literal(false) })]), {
  example: { value: { confirmed: true, until: '2026-11-20T12:05:00.000Z' } },
});

/** @returns the endpoints by which the owner of a login proves to be the one who signed in */
export function confirmationEndpoints(
  confirmation: ConfirmationService,
  guard: Guards['logins'],
): Endpoint[] {
  return [beginEndpoint(confirmation, guard), finishEndpoint(confirmation, guard)];
}

function beginEndpoint(confirmation: ConfirmationService, guard: Guards['logins']): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/confirmation',
      methods: ['POST'],
      summary: 'confirms the login for five minutes by the password, or requests the second factor',
      requires: 'credential',
      answers: BEGUN.answers,
      answerHeaders: { 'Set-Cookie': 'a cookie that names the confirmation for five minutes' },
      usage: 'admin/confirmation: confirm the login.',
      changesState: true,
      parameters: z.object({ password: secret(required('the password of the caller, again')) }),
    },
    async ({ parameters: { password }, caller, ...call }) => {
      const account = caller.principal.administrator;
      const begun = await guard.attempt({ client: call.limitedAs, account, password }, () =>
        confirmation.begin(caller, password),
      );
      if (begun === undefined) {
        throw new ServiceError('confirmation.refused', 'Wrong password', {
          credentials: 'password',
          account,
        });
      }
      return begunReply(begun, call);
    },
  );
}

function begunReply(
  begun: BegunConfirmation,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  if (begun.kind === 'confirmed') {
    return confirmedReply(begun, { servedAt, ...call });
  }
  const waiting = { confirmed: false, expires: begun.expiresAt.toISOString() } as const;
  const cookie = keepSignIn(CONFIRMATION, begun.attempt, begun.expiresAt, servedAt);
  return begun.kind === 'token'
    ? BEGUN.reply({ ...waiting, second_factor: 'token' }, call, {
        detail: { transactionid: begun.transactionId, data: begun.url },
        cookie,
      })
    : BEGUN.reply({ ...waiting, second_factor: 'passkey', options: begun.options }, call, {
        cookie,
      });
}

function finishEndpoint(confirmation: ConfirmationService, guard: Guards['logins']): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/confirmation/finish',
      methods: ['POST'],
      summary:
        'confirms the login by the second factor; without a parameter, asks whether the app has answered by itself',
      requires: 'credential',
      answers: FINISHED.answers,
      answerHeaders: { 'Set-Cookie': 'with `confirmed`: removes the cookie of the confirmation' },
      usage: 'admin/confirmation/finish: confirm the login by the second factor.',
      changesState: true,
      parameters: z.object({
        response: secret(optional('the response of the token')),
        credential: secret(optional('the assertion of the passkey, as JSON')),
      }),
    },
    async ({ parameters: proof, caller, ...call }) => {
      const pending = await confirmation.pending(
        caller,
        readSignIn(call.cookies, CONFIRMATION, call.servedAt),
      );
      const account = caller.principal.administrator;
      const answered = proof.response ?? proof.credential ?? '';
      const confirmed = await guard.attempt({ client: call.limitedAs, account, password: answered }, () =>
        confirmation.finish(caller, pending, proof),
      );
      if (confirmed === undefined) {
        throw new ServiceError('confirmation.refused', 'The second factor is wrong', {
          credentials: 'second factor',
          account,
        });
      }
      return confirmed === 'waiting'
        ? FINISHED.reply({ confirmed: false }, call)
        : confirmedReply(confirmed, call);
    },
  );
}

function confirmedReply(
  { until }: Confirmed,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  return FINISHED.reply({ confirmed: true, until: until.toISOString() }, call, {
    cookie: dropSignIn(CONFIRMATION, servedAt),
  });
}
