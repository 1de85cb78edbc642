import type {
  CheckedTransaction,
  IssuedChallenge,
  StatusEntry,
} from '../../../challenges/challenge-service.ts';
import { pictureReply } from '../../qr-picture.ts';
import type { OcraDialect } from '../dialect.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

/** @returns the outcomes of /ocra as published */
export function documentedOcra(envelope: DocumentedEnvelope): OcraDialect {
  return {
    requiresDisplayData: true,
    waitsForStatus: true,
    activationCodeSource: (text) => text,
    issuedChallenge: (issued, context, picture) =>
      picture === undefined
        ? envelope.value(context, false, { transactionid: issued.transactionId, data: issued.url })
        : pictureReply(picture, issued.url, challengeFacts(issued)),
    checkedTransaction: (checked, context) => envelope.value(context, checkedValue(checked)),
    transactionStatus: (entries, context) => envelope.value(context, entries.map(statusValue)),
  };
}

function challengeFacts({ serial, data, transactionId }: IssuedChallenge): Record<string, string> {
  return { serial, data, transactionid: transactionId };
}

function checkedValue({ failCount, result }: CheckedTransaction): Record<string, unknown> {
  return { failcount: failCount, result };
}

function statusValue(entry: StatusEntry): Record<string, unknown> {
  return {
    serial: entry.serial,
    transactionid: entry.transactionId,
    received_tan: entry.receivedTan,
    valid_tan: entry.validTan,
    failcount: entry.failCount,
  };
}
