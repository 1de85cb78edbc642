import { deriveTokenKey, encodeActivationCode } from '../../../../src/ocra/key-derivation.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../../../src/ocra/qrtan-url.ts';
import type { Issuer } from '../../../../src/ocra/issuer.ts';
import { parseOcraSuite } from '../../../../src/ocra/suite.ts';

export const SERIAL = 'LSQR0001';
export const COUNTER_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
export const QUESTION = 'Pay120EURtoBert0000012345';

const SECRET = new Uint8Array(20).map((_, place) => 17 * place);
const NONCE = new Uint8Array(64).map((_, place) => 3 * place);

/** The activation code of `issueCodes`: `ACTIVATION_CODE`. */
export const ACTIVATION_CODE = encodeActivationCode(new Uint8Array(10).map((_, place) => 20 + place));

/** The content of a code besides that of all codes. */
interface CodeContent {
  readonly message?: string;
  readonly callbackUrl?: string;
  readonly transactionId?: string;
  readonly question?: string;
  /** Of a roll-out. */
  readonly issuer?: Issuer;
}

/** Codes of one token, as its server issues them. */
export interface IssuedCodes {
  /** The first code of the roll-out. */
  readonly init: string;
  readonly key: Uint8Array;
  nonce(content?: CodeContent): string;
  request(content?: CodeContent): string;
}

/** Issues the codes of a token whose responses go to `callbackUrl` unless the content of a code says otherwise. */
export async function issueCodes(
  callbackUrl: string,
  { suite: suiteText = COUNTER_SUITE, serial = SERIAL }: { suite?: string; serial?: string } = {},
): Promise<IssuedCodes> {
  const suite = parseOcraSuite(suiteText);
  const key = await deriveTokenKey({ sharedSecret: SECRET, activationCode: ACTIVATION_CODE, nonce: NONCE });
  const complete = (content: CodeContent): Required<Omit<CodeContent, 'issuer'>> => ({
    message: 'Pay 120.00 EUR to Bert Miller',
    callbackUrl,
    transactionId: '0123456789abcdef0123',
    question: QUESTION,
    ...content,
  });
  return {
    init: buildInitUrl({ sharedSecret: SECRET, suite: suiteText, serial }),
    key,
    nonce: (content = {}) =>
      buildNonceUrl(suite, key, {
        ...complete({ message: 'Activate your token', ...content }),
        nonce: NONCE,
        serial,
      }),
    request: (content = {}) => buildRequestUrl(suite, key, complete(content)),
  };
}
