import fc from 'fast-check';
import type { Pairs } from './fuzz-wire.ts';

/** Headers that may disturb a server, none of which breaks HTTP. */
const STRANGE: readonly Pairs[] = [
  [['Content-Encoding', 'gzip']],
  [['Content-Encoding', 'identity']],
  [['Content-Encoding', 'br, gzip, x']],
  [['Accept-Encoding', 'gzip;q=9,*;q=x']],
  [['Accept-Language', `${'de-'.repeat(300)},*;q=1.5`]],
  [['Accept-Language', 'de;q=,,;;=x']],
  [['Accept', '\xff/\xfe']],
  [['Expect', '100-continue']],
  [['Expect', 'nothing']],
  [['Range', 'bytes=0-,-1']],
  [['If-None-Match', '*']],
  [['If-Modified-Since', 'never']],
  [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Key', 'x'],
  ],
  [
    ['Upgrade', 'h2c'],
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['HTTP2-Settings', 'AAMAAABk'],
  ],
  [['Connection', 'close']],
  [['Connection', 'keep-alive, te, cookie, authorization']],
  [['X-Forwarded-For', '1.2.3.4, ::1, unknown, "_x", 127.0.0.1']],
  [['X-Forwarded-For', ','.repeat(2_000)]],
  [
    ['X-Forwarded-Proto', 'https,x'],
    ['X-Forwarded-Host', '<b>'],
    ['Forwarded', 'for="[::1]:x";;='],
  ],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['X-Request-Id', "x' OR 1=1 --"]],
  [['X-Request-Id', 'a'.repeat(65)]],
  [['Origin', 'null']],
  [['Sec-Fetch-Site', 'cross-site']],
  [
    ['Sec-Fetch-Site', 'same-origin'],
    ['Sec-Fetch-Mode', 'navigate'],
  ],
  [
    ['Authorization', 'Basic Og=='],
    ['Authorization', 'Bearer x'],
  ],
  [['Authorization', `Basic ${Buffer.from('\xff\0:\xfe', 'latin1').toString('base64')}`]],
  [['Authorization', `Bearer ${'x'.repeat(6_000)}`]],
  [['Authorization', 'Negotiate TlRMTVNTUAAB']],
  [['Cookie', ';;=;admin_session;=x; admin_session=; __proto__=1']],
  [['Cookie', `access_token_cookie=${'e30.'.repeat(2)}x`]],
  [['Cookie', 'access_token_cookie=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.']],
  [['Cookie', `admin_session=${'x'.repeat(9_000)}`]],
  [
    ['X-CSRF-TOKEN', ''],
    ['X-CSRF-TOKEN', 'x'],
  ],
  [['Content-Type', 'application/json']],
  [['Content-Type', 'multipart/form-data']],
  [['Content-Type', `multipart/form-data; boundary=${'-'.repeat(300)}`]],
  [['Content-Type', '']],
  [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['toString', 'z'],
  ],
  [
    ['Max-Forwards', '-1'],
    ['Via', '1.1 x'],
  ],
  [
    ['Trailer', 'Content-Length'],
    ['TE', 'trailers'],
  ],
  Array.from({ length: 150 }, (_, at) => [`X-${at}`, 'x'] as const),
];

/** @returns one or two sets of strange headers */
export const strangeHeaders: fc.Arbitrary<Pairs> = fc
  .array(fc.constantFrom(...STRANGE), { minLength: 1, maxLength: 2 })
  .map((sets) => sets.flat());
