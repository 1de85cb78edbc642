import { z } from 'zod';
import type { ChallengeService } from '../../challenges/challenge-service.ts';
import type { OcraDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method, openEndpoint } from '../endpoint-spec.ts';
import { readQrOptions } from '../qr-picture.ts';

/** What /ocra needs of the domain. */
export type OcraOperations = Pick<
  ChallengeService,
  'requestChallenge' | 'checkTransaction' | 'status' | 'activationCode' | 'calculateOtp'
>;

const METHODS: readonly Method[] = ['GET', 'POST'];
const text = z.string();
const optional = text.optional();

/** @returns the endpoints of /ocra: challenges and responses by RFC 6287 */
export function ocraEndpoints(ocra: OcraOperations, dialect: OcraDialect): Endpoint[] {
  return [
    requestEndpoint(ocra, dialect),
    checkEndpoint(ocra, dialect),
    statusEndpoint('/ocra/checkstatus', ocra, dialect),
    statusEndpoint('/ocra', ocra, dialect),
    activationCodeEndpoint(ocra, dialect),
    calculationEndpoint(ocra, dialect),
  ];
}

function requestEndpoint(ocra: OcraOperations, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/request',
      methods: METHODS,
      family: 'linotp2',
      usage: 'ocra/request: request a challenge for a given user or token (serial).',
      changesState: true,
      parameters: z.object({
        serial: optional,
        user: optional,
        realm: optional,
        data: dialect.requiresDisplayData ? text : optional,
      }),
    },
    async ({ caller, parameters, context }) => {
      const picture = readQrOptions(context.parameters);
      return dialect.issuedChallenge(await ocra.requestChallenge(caller, parameters), context, picture);
    },
  );
}

function checkEndpoint(ocra: OcraOperations, dialect: OcraDialect): Endpoint {
  return openEndpoint(
    {
      path: '/ocra/check_t',
      methods: METHODS,
      family: 'linotp2',
      usage: 'ocra/check_t: validate a token request.',
      // It settles a transaction, but whoever knows the transaction may do so from anywhere.
      changesState: false,
      parameters: z.object({ pass: text, transactionid: text }),
      transactionNamedBy: ['transactionid'],
    },
    async ({ parameters: { transactionid, pass }, client, requestId, context }) => {
      const checked = await ocra.checkTransaction(
        { client, requestId },
        { transactionId: transactionid, pass },
      );
      return { ...dialect.checkedTransaction(checked, context), accepted: checked.result };
    },
  );
}

function statusEndpoint(
  path: '/ocra/checkstatus' | '/ocra',
  ocra: OcraOperations,
  dialect: OcraDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path,
      methods: METHODS,
      family: 'linotp2',
      usage: 'ocra/checkstatus: check the token status - for asynchronous verification. Missing parameter:',
      changesState: false,
      parameters: z.object({ transactionid: optional, serial: optional, user: optional, realm: optional }),
    },
    async ({ caller, parameters: { transactionid, ...reference }, context }) => {
      const entries = await ocra.status(caller, { transactionId: transactionid, ...reference });
      return dialect.transactionStatus(entries, context);
    },
  );
}

function activationCodeEndpoint(ocra: OcraOperations, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/getActivationCode',
      methods: METHODS,
      family: 'linotp2',
      usage: 'ocra/getActivationCode: get an example activation code.',
      changesState: false,
      parameters: z.object({ activationcode: optional }),
    },
    async ({ caller, parameters: { activationcode }, context }) =>
      dialect.activationCode(
        await ocra.activationCode(caller, dialect.activationCodeSource(activationcode)),
        context,
      ),
  );
}

function calculationEndpoint(ocra: OcraOperations, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/calculateOtp',
      methods: METHODS,
      family: 'linotp2',
      usage: 'ocra/calculateOtp: calculate the response that an app would give.',
      changesState: false,
      parameters: z.object({
        sharedsecret: optional,
        activationcode: optional,
        nonce: optional,
        ocrasuite: optional,
        challenge: optional,
        counter: optional,
        ocrapin: optional,
        init1: optional,
        init2: optional,
        no: optional,
        os: optional,
      }),
    },
    async ({ caller, parameters, context }) =>
      dialect.calculatedOtp(await ocra.calculateOtp(caller, parameters), context),
  );
}
