/** The settings of an LDAP resolver that follow from the kind of its directory. */
interface LdapPreset {
  /** A name of the trade, the same in every language. */
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

const INFO = {
  givenname: 'givenName',
  surname: 'sn',
  email: 'mail',
  phone: 'telephoneNumber',
  mobile: 'mobile',
};
const USERINFO = JSON.stringify(INFO);

/** Directories by their usual schema. Addresses, base and account differ everywhere. */
export const LDAP_PRESETS: readonly LdapPreset[] = [
  {
    name: 'Active Directory',
    values: {
      LOGINNAMEATTRIBUTE: 'sAMAccountName',
      LDAPSEARCHFILTER: '(&(sAMAccountName=*)(objectCategory=person)(objectClass=user))',
      LDAPFILTER: '(&(sAMAccountName=%s)(objectCategory=person)(objectClass=user))',
      USERINFO,
      UIDTYPE: 'objectGUID',
    },
  },
  {
    name: 'OpenLDAP',
    values: {
      LOGINNAMEATTRIBUTE: 'uid',
      LDAPSEARCHFILTER: '(&(uid=*)(objectClass=inetOrgPerson))',
      LDAPFILTER: '(&(uid=%s)(objectClass=inetOrgPerson))',
      USERINFO,
      UIDTYPE: 'entryUUID',
    },
  },
  {
    name: 'eDirectory',
    values: {
      LOGINNAMEATTRIBUTE: 'cn',
      LDAPSEARCHFILTER: '(&(cn=*)(objectClass=inetOrgPerson))',
      LDAPFILTER: '(&(cn=%s)(objectClass=inetOrgPerson))',
      USERINFO,
      UIDTYPE: 'GUID',
    },
  },
];
