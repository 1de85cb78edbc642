import { describe, expect, it } from '@jest/globals';
import { DigestAuthentication } from '../../../src/cli/shadow/shadowed-server.ts';

const ACCOUNT = { name: 'Mufasa', password: 'Circle of Life' };
const NONCE = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const CLIENT_NONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
const OPAQUE = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS';

describe('HTTP Digest authentication', () => {
  // RFC 7616 §3.9.1
  it.each([
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ])('answers as the example of RFC 7616 with %s', (algorithm, response) => {
    const digest = DigestAuthentication.of(
      `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${NONCE}", opaque="${OPAQUE}"`,
    );
    expect(digest?.authorize(ACCOUNT, 'GET', '/dir/index.html', CLIENT_NONCE)).toBe(
      `Digest username="Mufasa", realm="http-auth@example.org", nonce="${NONCE}", uri="/dir/index.html", ` +
        `response="${response}", algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="${CLIENT_NONCE}", opaque="${OPAQUE}"`,
    );
  });

  it('counts its requests, and does without qop as RFC 2069', () => {
    const digest = DigestAuthentication.of('Digest realm="r", nonce="n"');
    expect(digest?.authorize(ACCOUNT, 'GET', '/', 'c')).toMatch(
      /^Digest username="Mufasa", realm="r", nonce="n", uri="\/", response="[0-9a-f]{32}"$/,
    );
    const counting = DigestAuthentication.of('digest qop=auth, realm="r", nonce="n"');
    counting?.authorize(ACCOUNT, 'GET', '/', 'c');
    expect(counting?.authorize(ACCOUNT, 'GET', '/', 'c')).toContain('nc=00000002');
  });

  it.each(['Basic realm="r"', 'Digest realm="r", algorithm=MD5-sess'])('does not answer %s', (header) => {
    expect(DigestAuthentication.of(header)).toBeUndefined();
  });
});
