import { describe, expect, it } from '@jest/globals';
import { retryDelay } from '../../src/webhooks/delivery-dispatcher.ts';
import { addressFault, readReceiverUrl } from '../../src/webhooks/webhook.ts';

describe('the pause before a repetition', () => {
  const least = { bytes: () => Buffer.alloc(0), below: () => 0 };
  const most = { ...least, below: (bound: number) => bound - 1 };

  it('doubles from ten seconds to three hours, varied by a quarter', () => {
    expect([1, 2, 3].map((attempts) => retryDelay(attempts, least))).toEqual([7_500, 15_000, 30_000]);
    expect([1, 2, 3].map((attempts) => retryDelay(attempts, most))).toEqual([12_500, 25_000, 50_000]);
    expect([20, 5_000].map((attempts) => retryDelay(attempts, most))).toEqual([13_500_000, 13_500_000]);
  });
});

describe('the URL of a receiver', () => {
  it.each([
    ['https://siem.example.com/tankeeper', false],
    ['https://10.1.2.3:8443/x?y=z', false],
    ['https://[fd00::1]/', false],
    ['http://127.0.0.1:8080/', false],
    ['http://[::1]:8080/', false],
    ['http://localhost/', false],
    ['http://10.1.2.3/', true],
  ])('%s is one', (url, allowsHttp) => {
    expect(readReceiverUrl(url, { allowsHttp, isBounded: false })).toBe(url);
  });

  it.each([
    ['siem.example.com', 'begins with https://'],
    ['ftp://siem.example.com/', 'begins with https://'],
    [`https://siem.example.com/${'x'.repeat(2_000)}`, 'begins with https://'],
    ['https://anna:secret@siem.example.com/', 'holds no user and password'],
    ['https://siem.example.com/#top', 'has no fragment'],
    ['http://siem.example.com/', 'this machine only'],
    ['http://10.1.2.3/', 'another machine'],
    ['https://169.254.169.254/latest/meta-data', 'metadata'],
    ['https://2852039166/', 'metadata'],
    ['https://0xA9FEA9FE/', 'metadata'],
    ['https://[fe80::1]/', 'metadata'],
    ['https://[::ffff:169.254.169.254]/', 'metadata'],
    ['https://[fd00:ec2::254]/', 'metadata'],
    ['https://[fd20:ce::254]/', 'metadata'],
    ['https://192.0.0.192/', 'metadata'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'metadata'],
    ['https://0.0.0.0/', 'metadata'],
  ])('%s is refused', (url, reason) => {
    expect(() => readReceiverUrl(url, { allowsHttp: false, isBounded: false })).toThrow(reason);
  });

  it('leads to no metadata service over http:// either', () => {
    expect(() => readReceiverUrl('http://169.254.169.254/', { allowsHttp: true, isBounded: false })).toThrow(
      'metadata',
    );
  });
});

describe('an address of a receiver', () => {
  const https = { url: 'https://siem.example.com/', allowsHttp: false, isBounded: false };

  it.each(['10.0.0.1', '192.168.1.1', '127.0.0.1', '203.0.113.5', '2001:db8::1'])(
    '%s is connected to',
    (text) => {
      expect(addressFault(text, https)).toBeUndefined();
    },
  );

  it.each(['169.254.169.254', '::ffff:169.254.1.1', 'fe80::1%eth0', '224.0.0.1', '::', 'nonsense'])(
    '%s is not',
    (text) => {
      expect(addressFault(text, https)).toEqual(expect.any(String));
    },
  );

  it('of another machine gets nothing by http://, unless it is allowed', () => {
    const url = 'http://localhost/';
    expect(addressFault('10.0.0.1', { url, allowsHttp: false, isBounded: false })).toContain(
      'another machine',
    );
    expect(addressFault('10.0.0.1', { url, allowsHttp: true, isBounded: false })).toBeUndefined();
    expect(addressFault('127.0.0.1', { url, allowsHttp: false, isBounded: false })).toBeUndefined();
  });
});

describe('an address of a receiver that an administrator has added', () => {
  const bounded = { url: 'https://siem.example.com/', allowsHttp: false, isBounded: true };

  it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is connected to',
    (text) => {
      expect(addressFault(text, bounded)).toBeUndefined();
    },
  );

  // prettier-ignore
  it.each([
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1',
    '192.0.2.1', '203.0.113.5', '240.0.0.1', '::1', '::ffff:10.0.0.1', '::ffff:127.0.0.1', '::7f00:1',
    'fd00::1', 'fec0::1', '2001:db8::1', '64:ff9b::a00:1', '2002:a00:1::', '2001:0:1::1', '100::1',
  ])('%s is not', (text) => {
    expect(addressFault(text, bounded)).toContain('no public address');
  });
});
