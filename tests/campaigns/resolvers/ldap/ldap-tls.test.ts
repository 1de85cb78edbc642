import { mkdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LdapUsers } from '../../../../src/resolvers/sources/ldap/ldap-users.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import {
  type FakeServer,
  fakeServer,
  ldapUsers,
  PEOPLE,
  person,
  unit,
} from '../../../support/servers/ldap-resolver.ts';
import {
  findSlapd,
  makeCertificates,
  READER_PASSWORD,
  type Slapd,
  startSlapd,
} from '../../../support/servers/slapd.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const program = findSlapd();
const describeWithSlapd = program === undefined ? describe.skip : describe;
const ENTRIES = [unit('people'), person('anna', { userPassword: 'Geheim 1' })];
const STARTTLS = { EnforceTLS: 'True' };

/** Passes everything on to a server, so that a test can see what goes over the wire. */
function wireTap(url: string): Promise<FakeServer> {
  return fakeServer((socket) => {
    const server = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    server.on('error', () => socket.destroy());
    socket.once('close', () => server.destroy());
    socket.pipe(server).pipe(socket);
  });
}

/** Adds bytes in clear to the answer to StartTLS, as somebody on the way can. */
function injectingTap(url: string, injected: Buffer): Promise<FakeServer> {
  return fakeServer((socket) => {
    const server = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    server.on('error', () => socket.destroy());
    socket.once('close', () => server.destroy());
    socket.pipe(server);
    server.once('data', (answer) => {
      socket.write(Buffer.concat([answer, injected]));
      server.pipe(socket);
    });
  });
}

describeWithSlapd('a connection to an LDAP directory', () => {
  const folder = temporaryFolder();
  let withTls: Slapd;
  let withoutTls: Slapd;
  let ofAnotherName: Slapd;
  let CACERTIFICATE: string;
  let anotherAuthority: string;
  const closing: { close(): Promise<void> }[] = [];
  const users = (url: string, settings: Readonly<Record<string, string>> = {}): LdapUsers => {
    const source = ldapUsers(url, settings);
    closing.push(source);
    return source;
  };

  beforeAll(async () => {
    await mkdir(join(folder, 'another'));
    const certificates = await makeCertificates(folder);
    const others = await makeCertificates(join(folder, 'another'), 'DNS:elsewhere.example');
    CACERTIFICATE = await readFile(certificates.authorityFile, 'utf8');
    anotherAuthority = await readFile(others.authorityFile, 'utf8');
    withTls = await startSlapd(program ?? '', { entries: ENTRIES, certificates });
    withoutTls = await startSlapd(program ?? '', { entries: ENTRIES });
    ofAnotherName = await startSlapd(program ?? '', { entries: ENTRIES, certificates: others });
  });

  afterAll(async () => {
    await Promise.all(closing.map((source) => source.close()));
    await Promise.all([withTls, withoutTls, ofAnotherName].map((slapd) => slapd.remove()));
  });

  it('is secure by ldaps, with an authority that is trusted', async () => {
    const source = users(withTls.secureUrl, { CACERTIFICATE, UIDTYPE: 'dn' });
    expect(await source.count()).toBe(1);
    expect(await source.checkPassword(`cn=anna,${PEOPLE}`, 'Geheim 1')).toBe(true);
    expect(await source.checkPassword(`cn=anna,${PEOPLE}`, 'Geheim 2')).toBe(false);
  });

  it('is secure by StartTLS, and no password goes over the wire', async () => {
    const tap = await wireTap(withTls.url);
    closing.unshift(tap);
    const source = users(tap.url, { ...STARTTLS, CACERTIFICATE, UIDTYPE: 'dn' });
    expect(await source.findByLogin('anna')).toMatchObject({ login: 'anna' });
    expect(await source.checkPassword(`cn=anna,${PEOPLE}`, 'Geheim 1')).toBe(true);
    expect(tap.received().length).toBeGreaterThan(0);
    expect(tap.received().includes(READER_PASSWORD)).toBe(false);
    expect(tap.received().includes('Geheim 1')).toBe(false);
  });

  it.each([
    ['a whole answer', 0],
    ['the beginning of one', 5],
  ])('is not made where %s came in clear before TLS began', async (_what, missing) => {
    // A success for the next request, which is the bind.
    const success = Buffer.from('300c02010261070a010004000400', 'hex');
    const tap = await injectingTap(withTls.url, success.subarray(0, success.length - missing));
    closing.unshift(tap);
    const source = users(tap.url, { ...STARTTLS, CACERTIFICATE, UIDTYPE: 'dn' });
    const refusal = await eventualRefusal(source.checkPassword(`cn=anna,${PEOPLE}`, 'Geheim 2'));
    expect(refusal.message).toMatch(/the server (?:answers amiss|ended the conversation)/);
  });

  it('is not made where EnforceTLS is set and the server has no TLS; no password was sent', async () => {
    const tap = await wireTap(withoutTls.url);
    closing.unshift(tap);
    const refusal = await eventualRefusal(users(tap.url, { ...STARTTLS, CACERTIFICATE }).count());
    expect(refusal.message).toBe(
      "The resolver 'staff' is unavailable: EnforceTLS is set and the server refuses StartTLS",
    );
    expect(tap.connections()).toBe(1);
    expect(tap.received().includes(READER_PASSWORD)).toBe(false);
  });

  it.each(['ldaps', 'StartTLS'])('is not made by %s to a server whose authority is unknown', async (way) => {
    const [url, settings] = way === 'ldaps' ? [withTls.secureUrl, {}] : [withTls.url, STARTTLS];
    for (const authority of ['', anotherAuthority]) {
      const source = users(url, { ...settings, CACERTIFICATE: authority });
      const refusal = await eventualRefusal(source.count());
      expect(refusal.code).toBe('resolver.unavailable');
      expect(refusal.message).toContain("the server's certificate is not trusted");
    }
  });

  it('is not made to a server with a certificate for another name', async () => {
    const settings = { CACERTIFICATE: anotherAuthority };
    const refusal = await eventualRefusal(users(ofAnotherName.secureUrl, settings).count());
    expect(refusal.message).toContain("the server's certificate is not trusted");
  });

  it('is made to any server where only_trusted_certs is False', async () => {
    expect(await users(withTls.secureUrl, { only_trusted_certs: 'False' }).count()).toBe(1);
    expect(await users(withTls.url, { ...STARTTLS, only_trusted_certs: 'False' }).count()).toBe(1);
    expect(await users(ofAnotherName.secureUrl, { only_trusted_certs: 'False' }).count()).toBe(1);
  });

  it('is not made by ldaps to a port without TLS', async () => {
    const url = withoutTls.url.replace('ldap:', 'ldaps:');
    const refusal = await eventualRefusal(users(url, { CACERTIFICATE, TIMEOUT: '2' }).count());
    expect(refusal.message).toMatch(/TLS cannot be established|no TLS within 2 s/);
  });

  it('is not made with a CACERTIFICATE that is none', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    const refusal = await eventualRefusal(users(withTls.secureUrl, { CACERTIFICATE: broken }).count());
    expect(refusal.message).toContain('CACERTIFICATE is not a certificate in PEM form');
  });
});
