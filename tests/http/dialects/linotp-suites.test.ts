import { describe, expect, it } from '@jest/globals';
import { linotpWording } from '../../../src/http/dialects/linotp2-failures.ts';
import type { RequestContext } from '../../../src/http/request/exchange.ts';
import { failureForm } from '../../../src/http/failures.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { refusalOf } from '../../support/values/refusal.ts';
import { readVectorFile } from '../../support/values/vectors.ts';
import type { SuiteRow } from '../../support/vectors/suite-vectors.ts';
import { rowsOf } from '../../support/vectors/vector-text.ts';

/** Three digits in a session's length are enough here; docs/compatibility.md names it. */
const TAKEN_HERE = 'OCRA-1:HOTP-SHA1-6:QN08-S100';
const ASKED: RequestContext = {
  path: '/admin/init',
  family: 'linotp2',
  usage: '',
  language: 'en',
  parameters: new Map(),
  written: new Map(),
};

describe('OCRA suites that LinOTP refuses', () => {
  const refused = rowsOf<SuiteRow>(readVectorFile('linotp-suite-parse.jsonl')).flatMap(({ suite, error }) =>
    error === undefined || suite === TAKEN_HERE ? [] : [[suite, error.message] as const],
  );

  it.each(refused)('the dialect linotp answers %j as LinOTP does', (suite, message) => {
    const error = refusalOf(() => parseOcraSuite(suite));
    const wording = linotpWording(error, failureForm(error.code), ASKED);
    expect(wording.code).toBe(-311);
    // Over HTTP texts are Unicode, so Python shows them with a `u` where the vectors show them without.
    expect(wording.message.replace(/\bu'/, "'")).toBe(message);
  });
});
