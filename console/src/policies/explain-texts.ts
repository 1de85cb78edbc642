import type { ValueOf } from '../api/call.ts';
import type { Texts } from '../language/language.ts';

type Obstacle = ValueOf<'/admin/policy/explain'>['rights'][number]['policies'][number]['obstacles'][number];

interface ExplainTexts {
  readonly title: string;
  readonly lead: string;
  readonly back: string;
  readonly about: string;
  readonly administrator: string;
  readonly owner: string;
  readonly refusal: string;
  readonly name: string;
  readonly nameHint: string;
  readonly groups: string;
  readonly login: string;
  readonly resolver: string;
  readonly realm: string;
  readonly anyRealm: string;
  readonly client: string;
  readonly clientHint: string;
  readonly time: string;
  readonly timeHint: string;
  readonly request: string;
  readonly requestHint: string;
  readonly ask: string;
  readonly unknown: (name: string) => string;
  readonly circumstances: (name: string, realm: string, client: string, time: string) => string;
  readonly nobody: string;
  readonly noAddress: string;
  readonly show: string;
  readonly all: string;
  readonly allowed: string;
  readonly refused: string;
  readonly yes: string;
  readonly no: string;
  readonly everywhere: string;
  readonly nowhere: string;
  readonly elsewhere: (realms: string) => string;
  readonly open: string;
  readonly nothing: string;
  readonly by: string;
  readonly butFor: string;
  readonly noValue: string;
  /** By its kind; left out: the words of the server. */
  readonly obstacles: Readonly<Partial<Record<Obstacle['kind'], string>>>;
  readonly disagree: string;
  readonly wasRefused: (endpoint: string, name: string, client: string, time: string) => string;
  readonly apiToken: string;
  readonly remedies: string;
  readonly remedy: (action: string, policy: string) => string;
  readonly toPolicy: (policy: string) => string;
  readonly unnamed: string;
  readonly asNow: string;
  readonly unchanged: string;
  readonly unseen: string;
  readonly changed: string;
  readonly change: (policy: string, kind: 'set' | 'removed', name: string, time: string) => string;
}

export const explainTexts: Texts<ExplainTexts> = {
  en: {
    title: 'Who may do what',
    lead: 'What the policies allow somebody, and why.',
    back: 'All policies',
    about: 'About',
    administrator: 'an administrator',
    owner: "a token's owner",
    refusal: 'a refused request',
    name: 'Administrator',
    nameHint: 'A name, or oidc:NAME',
    groups: 'Groups',
    login: 'Login of the owner',
    resolver: 'Resolver of the owner',
    realm: 'Realm',
    anyRealm: 'any',
    client: 'Address',
    clientHint: 'Empty: none; policies for certain clients then do not apply',
    time: 'Time',
    timeHint: 'Empty: now',
    request: 'Id of the request',
    requestHint: 'As the audit shows it',
    ask: 'Explain',
    unknown: (name) => `There is no administrator ${name}. Policies may name one all the same.`,
    circumstances: (name, realm, client, time) => `${name}, realm ${realm}, from ${client}, ${time}`,
    nobody: 'nobody',
    noAddress: 'no address',
    show: 'Show',
    all: 'all',
    allowed: 'allowed',
    refused: 'refused',
    yes: 'allowed',
    no: 'refused',
    everywhere: 'in all realms',
    nowhere: 'in no realm that exists',
    elsewhere: (realms) => `only in ${realms}`,
    open: 'No policy of this scope is active: it is then open to administrators.',
    nothing: 'No policy names this action.',
    by: 'By',
    butFor: 'not',
    noValue: 'no value',
    obstacles: {},
    disagree: 'Policies disagree.',
    wasRefused: (endpoint, name, client, time) =>
      `${endpoint} was refused to ${name} from ${client}, ${time}.`,
    apiToken: 'The API token of the request did not have this right, whatever the policies say.',
    remedies: 'What would help:',
    remedy: (action, policy) => `add ${action} to the policy ${policy}.`,
    toPolicy: (policy) => `Open ${policy} with it`,
    unnamed: 'The audit does not name the right. All rights are shown.',
    asNow: 'The answer below is by the policies as they are now.',
    unchanged: 'No policy has been changed since then.',
    unseen: 'They may have changed since then: you may not see that in the audit.',
    changed: 'They have changed since then:',
    change: (policy, kind, name, time) => `${policy} was ${kind} by ${name}, ${time}`,
  },
  de: {
    title: 'Wer darf was',
    lead: 'Was die Richtlinien jemandem erlauben, und warum.',
    back: 'Alle Richtlinien',
    about: 'Es geht um',
    administrator: 'einen Administrator',
    owner: 'den Inhaber eines Tokens',
    refusal: 'eine abgelehnte Anfrage',
    name: 'Administrator',
    nameHint: 'Ein Name, oder oidc:NAME',
    groups: 'Gruppen',
    login: 'Benutzername des Inhabers',
    resolver: 'Resolver des Inhabers',
    realm: 'Realm',
    anyRealm: 'beliebig',
    client: 'Adresse',
    clientHint: 'Leer: keine; Richtlinien für bestimmte Clients gelten dann nicht',
    time: 'Zeit',
    timeHint: 'Leer: jetzt',
    request: 'Kennung der Anfrage',
    requestHint: 'Wie das Audit sie zeigt',
    ask: 'Erklären',
    unknown: (name) => `Es gibt keinen Administrator ${name}. Richtlinien können ihn trotzdem nennen.`,
    circumstances: (name, realm, client, time) => `${name}, Realm ${realm}, von ${client}, ${time}`,
    nobody: 'niemand',
    noAddress: 'keiner Adresse',
    show: 'Zeigen',
    all: 'alles',
    allowed: 'Erlaubtes',
    refused: 'Abgelehntes',
    yes: 'erlaubt',
    no: 'abgelehnt',
    everywhere: 'in allen Realms',
    nowhere: 'in keinem Realm, den es gibt',
    elsewhere: (realms) => `nur in ${realms}`,
    open: 'Keine Richtlinie dieses Bereichs ist aktiv: Er steht dann Administratoren offen.',
    nothing: 'Keine Richtlinie nennt diese Aktion.',
    by: 'Durch',
    butFor: 'nicht',
    noValue: 'kein Wert',
    obstacles: {
      inactive: 'sie ist ausgeschaltet',
      unreadable: 'sie kann nicht gelesen werden und hat keine Wirkung',
      user: 'sie gilt für andere Benutzer',
      precedence: 'Richtlinien, die den Administrator nennen, gehen ihr vor',
      realm: 'sie gilt für andere Realms',
      client: 'sie gilt für andere Clients',
      time: 'sie gilt zu anderen Zeiten',
    },
    disagree: 'Die Richtlinien widersprechen sich.',
    wasRefused: (endpoint, name, client, time) =>
      `${endpoint} wurde ${name} von ${client} abgelehnt, ${time}.`,
    apiToken: 'Das API-Token der Anfrage hatte dieses Recht nicht, was auch immer die Richtlinien sagen.',
    remedies: 'Was hilft:',
    remedy: (action, policy) => `${action} in die Richtlinie ${policy} aufnehmen.`,
    toPolicy: (policy) => `${policy} damit öffnen`,
    unnamed: 'Das Audit nennt das Recht nicht. Gezeigt sind alle Rechte.',
    asNow: 'Die Antwort gilt für die Richtlinien, wie sie jetzt sind.',
    unchanged: 'Seitdem wurde keine Richtlinie geändert.',
    unseen: 'Sie können sich seitdem geändert haben: Sie dürfen das im Audit nicht sehen.',
    changed: 'Sie haben sich seitdem geändert:',
    change: (policy, kind, name, time) =>
      `${policy} wurde von ${name} ${kind === 'set' ? 'gesetzt' : 'entfernt'}, ${time}`,
  },
};
