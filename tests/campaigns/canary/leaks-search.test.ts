import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CanaryEvidence } from './canary-evidence.ts';
import { CanaryMarks, type MarkKind } from './canary-marks.ts';
import { CanarySearch } from './canary-search.ts';

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Encodings of texts and bytes by other programs, without any of the code under test. */
const WRITTEN: readonly (readonly [string, (secret: Buffer) => string | Buffer])[] = [
  ['in clear', (secret) => secret],
  ['in the other case', (secret) => Buffer.from(swapCase(secret.toString('latin1')), 'latin1')],
  ['in hex', (secret) => secret.toString('hex')],
  ['in capital hex', (secret) => secret.toString('hex').toUpperCase()],
  ['as bytea', (secret) => `(1,"\\\\x${secret.toString('hex')}")`],
  ['as an inspected Buffer', (secret) => `<Buffer ${secret.toString('hex').replace(/../g, '$& ')}>`],
  ['as a Buffer in JSON', (secret) => JSON.stringify({ secret })],
  ['as a list', (secret) => `[ ${[...secret].join(', ')} ]`],
  ['in base64', (secret) => secret.toString('base64')],
  ['in base64url', (secret) => secret.toString('base64url')],
  ...[1, 2, 3].map(
    (offset) =>
      [
        `in base64 behind ${offset} bytes and before others`,
        (secret: Buffer) => Buffer.concat([randomBytes(offset), secret, randomBytes(5)]).toString('base64'),
      ] as const,
  ),
  ['in base64 in the other case', (secret) => swapCase(secret.toString('base64'))],
  ['in hex in base64', (secret) => Buffer.from(`x${secret.toString('hex')}`).toString('base64')],
  ['in base64 in base64', (secret) => Buffer.from(`x${secret.toString('base64')}`).toString('base64')],
  ['in base64 in hex', (secret) => Buffer.from(secret.toString('base64')).toString('hex')],
  ['in base64 in an URL', (secret) => encodeURIComponent(secret.toString('base64'))],
  ['in an URL, each byte', (secret) => secret.toString('hex').replace(/../g, '%$&')],
  ['in an URL, encoded twice', (secret) => secret.toString('hex').replace(/../g, '%25$&')],
  ['escaped as in C', (secret) => secret.toString('hex').replace(/../g, '\\x$&')],
  [
    'escaped as in PostgreSQL',
    (secret) => [...secret].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  ],
  ['backwards', (secret) => Buffer.from(secret).reverse()],
];

const surrounded = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('time=12:00 message="'), Buffer.from(content), Buffer.from('" path=/x\n')]);

describe.each(WRITTEN)('a secret %s', (_, write) => {
  it('is found: a text, bytes, a key from hexadecimal digits, a response', () => {
    const marks = new CanaryMarks();
    const text = Buffer.from(marks.word('token PIN', 'a text'), 'utf8');
    const bytes = marks.bytes('shared secret', 'bytes', 20);
    const response = Buffer.from(marks.note('response', 'a response', '1472583690'), 'utf8');
    const search = new CanarySearch(marks.all());
    for (const [name, secret] of [
      ['a text', text],
      ['bytes', bytes],
      ['a response', response],
    ] as const) {
      const found = search.look('log', surrounded(write(secret)));
      expect([...new Set(found.map(({ mark }) => mark))]).toEqual([name]);
    }
  });

  it('is found as well where it is cut off', () => {
    const marks = new CanaryMarks();
    const secret = marks.bytes('nonce', 'cut off', 64);
    const search = new CanarySearch(marks.all());
    for (const piece of [secret.subarray(0, 17), secret.subarray(24), secret.subarray(25, 42)]) {
      expect(search.look('log', surrounded(write(piece)))).not.toEqual([]);
    }
  });
});

describe('a secret of more than letters and digits', () => {
  it.each([
    ['JSON', (secret: string) => JSON.stringify({ secret })],
    ['JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify({ secret }))],
    ['a form', (secret: string) => new URLSearchParams({ secret }).toString()],
    ['an URL', (secret: string) => encodeURIComponent(secret)],
    ['Basic', (secret: string) => `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}`],
    ['Python', (secret: string) => secret.replace(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ])('is found in %s', (_, write) => {
    const marks = new CanaryMarks();
    const secret = marks.text('password', 'of the administrator');
    expect(new CanarySearch(marks.all()).look('log', write(secret))).not.toEqual([]);
  });

  it('is found in code points of a byte each', () => {
    const marks = new CanaryMarks();
    const secret = marks.text('password', 'of the administrator');
    const escaped = Array.from(secret, (c) => `\\u00${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join(
      '',
    );
    expect(new CanarySearch(marks.all()).look('log', escaped)).not.toEqual([]);
  });
});

describe('what is searched', () => {
  const KINDS: readonly MarkKind[] = [
    ...(['token PIN', 'OCRA PIN', 'response', 'wrong response', 'token key', 'shared secret'] as const),
    ...(['activation code', 'nonce', 'session', 'login token', 'API token', 'password'] as const),
    ...(['resolver password', 'database password', 'encryption key', 'misplaced'] as const),
  ];

  it.each(KINDS)('is not excused for %s by an exception for another kind or another place', (kind) => {
    const marks = new CanaryMarks();
    const other = KINDS[(KINDS.indexOf(kind) + 1) % KINDS.length] ?? kind;
    const secret = marks.word(kind, 'planted');
    const evidence = new CanaryEvidence();
    evidence.add('log documented', `PIN ${secret}`);
    evidence.add('answer documented /x (failure)', secret);
    evidence.add('answer documented /x (success)', secret);
    const exceptions = [
      { place: /^answer \w+ \/x \(success\)/, kinds: [kind], because: 'it must' },
      { place: /^log/, kinds: [other], because: 'it must' },
      { place: /^nowhere/, kinds: [kind], because: 'it must' },
    ];
    const { leaks, unused } = evidence.judge(marks, exceptions);
    expect(leaks.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['log documented', 'answer documented /x (failure)']),
    );
    expect(leaks.map(({ place }) => place)).not.toContain('answer documented /x (success)');
    expect(unused).toEqual(exceptions.slice(1));
  });

  it('is nothing that only looks like it: two megabytes of random digits and bytes hold no mark', () => {
    const marks = new CanaryMarks();
    for (let number = 0; number < 50; number += 1) {
      marks.text('password', `text ${number}`);
      marks.bytes('nonce', `bytes ${number}`, 64);
    }
    const search = new CanarySearch(marks.all());
    const noise = randomBytes(500_000);
    expect(search.look('noise', noise)).toEqual([]);
    expect(search.look('noise', noise.toString('hex'))).toEqual([]);
    expect(search.look('noise', noise.toString('base64'))).toEqual([]);
  });
});
