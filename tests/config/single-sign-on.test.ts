import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { refusalOf } from '../support/values/refusal.ts';

const GIVEN = {
  PUBLIC_URL: 'https://tan.example.com',
  OIDC_ISSUER: 'https://login.example.com/realms/staff',
  OIDC_CLIENT_ID: 'tankeeper',
  OIDC_CLIENT_SECRET_FILE: '/etc/oidc-secret',
  OIDC_GROUPS: 'helpdesk-team=group:helpdesk, a=b=group:others',
};

const messageOf = (environment: Readonly<Record<string, string>>): string =>
  refusalOf(() => loadConfig(environment)).message;

describe('single sign-on', () => {
  it('is off by default', () => {
    expect(loadConfig({}).singleSignOn).toBeUndefined();
    expect(loadConfig({}).publicUrl).toBeUndefined();
  });

  it('has a redirect below the path of PUBLIC_URL', () => {
    const PUBLIC_URL = 'https://Example.com:443/tan/';
    const { publicUrl, singleSignOn } = loadConfig({ ...GIVEN, PUBLIC_URL });
    expect(publicUrl).toBe('https://example.com/tan');
    expect(singleSignOn?.redirectUrl).toBe('https://example.com/tan/admin/sign-in/oidc/callback');
  });

  it('has usual claims, a redirect below PUBLIC_URL, and groups that may contain =', () => {
    expect(loadConfig(GIVEN).singleSignOn).toEqual({
      issuer: 'https://login.example.com/realms/staff',
      clientId: 'tankeeper',
      clientSecretFile: '/etc/oidc-secret',
      clientAuthentication: 'auto',
      redirectUrl: 'https://tan.example.com/admin/sign-in/oidc/callback',
      scopes: 'openid profile email',
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      groups: new Map([
        ['helpdesk-team', 'helpdesk'],
        ['a=b', 'others'],
      ]),
      lifetime: 3600,
    });
  });

  it('maps groups of directories, whose names have commas', () => {
    const desk = 'CN=TAN-Helpdesk,OU=Gruppen,DC=bank,DC=test';
    const given = `${desk}=group:helpdesk, CN=Doe\\, John,OU=x=group:b ,plain=group:c`;
    expect(loadConfig({ ...GIVEN, OIDC_GROUPS: given }).singleSignOn?.groups).toEqual(
      new Map([
        [desk, 'helpdesk'],
        ['CN=Doe\\, John,OU=x', 'b'],
        ['plain', 'c'],
      ]),
    );
  });

  it('names all that is missing', () => {
    expect(messageOf({ OIDC_ISSUER: GIVEN.OIDC_ISSUER })).toBe(
      'OIDC_ISSUER also needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET_FILE, OIDC_GROUPS, PUBLIC_URL or OIDC_REDIRECT_URL.',
    );
  });

  it.each([
    ['OIDC_ISSUER', 'http://login.example.com'],
    ['OIDC_ISSUER', 'https://login.example.com?x=1'],
    ['OIDC_GROUPS', 'helpdesk'],
    ['OIDC_GROUPS', 'helpdesk=helpdesk'],
    ['OIDC_GROUPS', 'a=group:b,,c=group:d'],
    ['OIDC_GROUPS', 'a=group:b*'],
    ['OIDC_GROUPS', 'a=group:b,'],
    ['OIDC_GROUPS', 'CN=a,DC=b=group:c,CN=d,DC=e'],
    ['OIDC_CLIENT_AUTHENTICATION', 'private_key_jwt'],
    ['OIDC_GROUPS', 'a=group:b, a=group:c'],
    ['OIDC_REDIRECT_URL', 'http://tan.example.com/callback'],
    ['PUBLIC_URL', 'http://tan.example.com'],
    ['PUBLIC_URL', 'https://tan.example.com/path?x'],
    ['PUBLIC_URL', 'https://tan.example.com//path'],
    ['PUBLIC_URL', 'https://tan.example.com/%22'],
  ])('refuses %s=%s', (name, value) => {
    expect(messageOf({ ...GIVEN, [name]: value })).toContain(`${name}='${value}' is not allowed`);
  });
});
