import { expect, it } from '@jest/globals';
import { LDAP_PRESETS } from '../../console/src/resolvers/ldap-presets.ts';
import { checkResolver } from '../../src/resolvers/resolver-draft.ts';

it.each(LDAP_PRESETS.map(({ name, values }) => [name, values] as const))(
  'what is usual for %s makes a whole resolver with address and base',
  (_name, values) => {
    const settings = { LDAPURI: 'ldaps://ldap.example.com', LDAPBASE: 'dc=example,dc=com', ...values };
    const { settings: read } = checkResolver({ name: 'directory', kind: 'ldap', settings });
    expect(read).toMatchObject(values);
  },
);
