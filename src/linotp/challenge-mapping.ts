import { isStorable, parseJsonObject } from '../kernel/text.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import type { Challenge } from '../challenges/challenge.ts';
import {
  type LocalTime,
  binaryTextOf,
  faultOfLength,
  flagOf,
  shortened,
  type SourceRow,
  textOf,
  wholeOf,
  type TextRepair,
} from './linotp-source.ts';
import type { Mapped } from './import-report.ts';

/** A challenge of LinOTP in the form in which it is stored. */
export interface ImportedChallenge extends Omit<Challenge, 'id'> {
  readonly serial: string;
}

/** The token of a challenge, as it was imported. */
interface ChallengedToken {
  readonly serial: string;
  readonly type: string;
  readonly ocraSuite: string | null;
}

/** A challenge of this server. */
export interface PresentChallenge extends ImportedChallenge {
  readonly id: string;
}

/** An imported token. */
export type PresentChallengedToken = ChallengedToken & { readonly id: string };

export interface ChallengeContext {
  /** The table of the rows. */
  readonly table: string;
  readonly repair: TextRepair;
  /** The same for binary columns, which no connection encodes twice. */
  readonly repairBinary: TextRepair;
  readonly localTime: LocalTime;
  /** The number of wrong responses that close a challenge. */
  readonly maxChallengeRequests: number;
  /** @returns undefined if no such token is imported */
  readonly tokenOf: (serial: string) => ChallengedToken | undefined;
}

/** Of the database's integers. */
const MAX_INTEGER = 2 ** 31 - 1;

/** Maps a row of a table of challenges. */
export function mapChallenge(row: SourceRow, context: ChallengeContext): Mapped<ImportedChallenge> {
  const transactionId = textOf(row, 'transid').trim();
  const serial = context.repair(textOf(row, 'tokenserial'));
  const place = { name: transactionId, row: `${context.table} ${textOf(row, 'id')}` };
  const left = (reason: string): Mapped<ImportedChallenge> => ({
    ...place,
    value: undefined,
    reasons: [reason],
  });
  const fault = faultOfLength(row, { transid: 64 });
  if (fault !== undefined) {
    return { ...left(fault), name: shortened(transactionId) };
  }
  const token = context.tokenOf(serial);
  const issuedAt = context.localTime.read(textOf(row, 'timestamp'));
  if (transactionId === '' || !isStorable(transactionId)) {
    return left('it has no transaction id that can be stored');
  }
  if (token === undefined) {
    return left(`its token ${shortened(serial)} is not imported or does not exist`);
  }
  if (issuedAt === undefined) {
    return left('its time is not readable');
  }
  const content = readContent(row, token.type, context);
  if (content === undefined || !isStorable(content.question, content.data)) {
    return left('its content is not readable');
  }
  const state = readState(row, token, context.maxChallengeRequests);
  const { question, data, remarks } = content;
  const value = { transactionId, serial: token.serial, question, data, issuedAt, ...state.value };
  return { ...place, value, reasons: state.reasons, remarks };
}

interface Content {
  readonly question: string;
  readonly data: string;
  readonly remarks: readonly string[];
}

function readContent(row: SourceRow, type: string, context: ChallengeContext): Content | undefined {
  const challenge = readEither(row, 'bchallenge', 'challenge', context);
  const data = readEither(row, 'bdata', 'data', context);
  if (type === 'ocra') {
    const question = afterColon(challenge);
    return question === undefined ? undefined : { question, data: afterColon(data) ?? data, remarks: [] };
  }
  if (type === 'ocra2') {
    return readJsonContent(data);
  }
  const remarks = [`challenges of the type ${type} are kept; they cannot be answered here`];
  return { question: challenge, data, remarks };
}

/** The text columns are left over from older releases, which had no binary ones. */
function readEither(
  row: SourceRow,
  binaryColumn: string,
  textColumn: string,
  context: ChallengeContext,
): string {
  const binary = binaryTextOf(row, binaryColumn);
  return binary === '' ? context.repair(textOf(row, textColumn)) : context.repairBinary(binary);
}

/** `raw:abc`, `random:…`: only the first colon separates. */
function afterColon(text: string): string | undefined {
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

function readJsonContent(text: string): Content | undefined {
  const { challenge, input = '' } = parseJsonObject(text) ?? {};
  return typeof challenge === 'string' && challenge !== '' && typeof input === 'string'
    ? { question: challenge, data: input, remarks: [] }
    : undefined;
}

type ChallengeState = Pick<ImportedChallenge, 'wrongCount' | 'receivedTan' | 'validTan' | 'closedBy'>;

function readState(
  row: SourceRow,
  { type, ocraSuite }: ChallengedToken,
  maxChallengeRequests: number,
): { readonly value: ChallengeState; readonly reasons: readonly string[] } {
  const validTan = flagOf(row, 'valid_tan');
  const receivedTan = flagOf(row, 'received_tan') || validTan;
  const received = Math.min(Math.max(0, wholeOf(row, 'received_count') ?? 0), MAX_INTEGER);
  // LinOTP counts the right response of an ocra2 token, too.
  const wrongCount = validTan && type !== 'ocra' ? Math.max(0, received - 1) : received;
  const value = { wrongCount, receivedTan, validTan };
  if (validTan) {
    return { value: { ...value, closedBy: 'accepted' }, reasons: [] };
  }
  if (wrongCount >= maxChallengeRequests) {
    return { value: { ...value, closedBy: 'exhausted' }, reasons: ['closed: too many wrong responses'] };
  }
  if (receivedTan && mayBeAnswered(ocraSuite)) {
    const reason = 'closed: LinOTP does not tell whether a response to it was accepted before';
    return { value: { ...value, closedBy: 'superseded' }, reasons: [reason] };
  }
  return { value: { ...value, closedBy: null }, reasons: [] };
}

/**
 * A wrong response erases the mark of an earlier right one from all challenges of a token. With a counter or a time
 * step that response cannot be accepted again; without either it could.
 */
function mayBeAnswered(ocraSuite: string | null): boolean {
  try {
    const suite = ocraSuite === null ? undefined : parseOcraSuite(ocraSuite);
    return suite !== undefined && !suite.counter && suite.timeStep === undefined;
  } catch {
    return false;
  }
}
