import type { Texts } from '../language/language.ts';
import { overviewTexts } from '../overview/overview-texts.ts';
import type { Session } from '../session/shown.ts';

/** Outcomes of audit rows in a language. */
interface OutcomeWords {
  /** By what an outcome begins with, in the words of the server. */
  readonly phrases: Readonly<Record<string, string>>;
  /** Patterns in what follows, each with its words: names of changed fields, and amounts. */
  readonly fields: Details;
  readonly amounts: Details;
}

type Details = readonly (readonly [pattern: RegExp, words: string])[];

/** What outcomes of administration begin with, in German. The words of the server are English. */
const GERMAN: Readonly<Record<string, string>> = {
  issued: 'ausgestellt',
  created: 'angelegt',
  changed: 'geändert',
  stored: 'gespeichert',
  removed: 'entfernt',
  'being removed': 'wird entfernt',
  enabled: 'aktiviert',
  imported: 'importiert',
  done: 'erledigt',
  begun: 'begonnen',
  failed: 'gescheitert',
  added: 'hinzugefügt',
  confirmed: 'bestätigt',
  'confirmed the time': 'die Uhrzeit bestätigt',
  copied: 'kopiert',
  'found again': 'wiedergefunden',
  current: 'in Gebrauch genommen',
  sealed: 'versiegelt',
  retired: 'außer Dienst',
  migrated: 'migriert',
  repaired: 'berichtigt',
  pruned: 'gelöscht nach Frist',
  'pruned before': 'gelöscht nach Frist: alles vor',
  restored: 'wiederhergestellt',
  'restored from': 'wiederhergestellt aus der Sicherung vom',
  'renamed from': 'umbenannt, vorher',
  'imported anew': 'neu importiert',
  verified: 'geprüft',
  retried: 'erneut versucht',
  delivered: 'zugestellt',
  'handed out': 'herausgegeben',
  'handed out as': 'herausgegeben als',
  'default realm': 'Standard-Realm',
  'no default realm': 'kein Standard-Realm',
  'session opened': 'Sitzung begonnen',
  'session closed': 'Sitzung beendet',
  'password changed': 'Passwort geändert',
  'password hash renewed': 'Hash des Passworts erneuert',
  'second factor': 'zweiter Faktor',
  'second factor: token': 'zweiter Faktor: Token',
  'second factor: passkey': 'zweiter Faktor: Passkey',
  'second factor requested': 'zweiter Faktor verlangt',
  'second factor removed': 'zweiter Faktor entfernt',
  'second factor lost: token': 'zweiter Faktor verloren: Token',
  'passkey requested': 'Passkey verlangt',
  'passkey added': 'Passkey hinzugefügt',
  'passkey removed': 'Passkey entfernt',
  'passkey link created': 'Link für einen Passkey angelegt',
  'secret replaced': 'Geheimnis ersetzt',
  refused: 'abgelehnt',
  'refused: no right': 'abgelehnt: kein Recht',
  'refused: password': 'abgelehnt: Passwort',
  'refused: second factor': 'abgelehnt: zweiter Faktor',
  'refused: too many passwords': 'abgelehnt: zu viele Passwörter',
  'refused: too many sign-ins': 'abgelehnt: zu viele begonnene Anmeldungen',
  'refused: token': 'abgelehnt: kein Token, das die Anmeldung bestätigen kann',
  'refused: cross-site': 'abgelehnt: von einer fremden Seite',
  'refused: api token': 'abgelehnt: API-Token',
  'refused: session': 'abgelehnt: Sitzung',
  'refused: login': 'abgelehnt: Anmeldung',
  'refused: csrf token': 'abgelehnt: CSRF-Token',
  'refused: single sign-on': 'abgelehnt: Single Sign-on',
  'refused: single sign-on, no group that may sign in':
    'abgelehnt: Single Sign-on, keine Gruppe, die sich anmelden darf',
  'refused: single sign-on, no name that can be taken':
    'abgelehnt: Single Sign-on, kein Name, der übernommen werden kann',
  'wrong, out of step': 'falsch: das Token ist aus dem Tritt',
  'wrong, right for several tokens': 'falsch: die TAN passt zu mehreren Token',
  'wrong, right PIN': 'falsch, aber die PIN war richtig',
  'wrong, right response': 'falsche PIN, aber die Antwort war richtig',
  'wrong, decline': 'eine Ablehnung, die das Token nicht unterschrieben hat',
  'declined again': 'nochmals auf dem Gerät abgelehnt',
  'reported again': 'nochmals auf dem Gerät gemeldet: Das war ich nicht',
  'reported, after a decline': 'nach einer Ablehnung auf dem Gerät gemeldet: Das war ich nicht',
  'refused: nothing is open': 'abgelehnt: Keine Transaktion ist offen',
  'refused: no such transaction': 'abgelehnt: Es gibt keine solche Transaktion',
};

const GERMAN_FIELDS: Details = [
  [/\bowner\b/g, 'Inhaber'],
  [/\brealms\b/g, 'Realms'],
  [/\bdescription\b/g, 'Beschreibung'],
  [/\bactive\b/g, 'aktiv'],
  [/\bfailCount\b/g, 'Fehlerzähler'],
  [/\bmaxFail\b/g, 'größter Fehlerzähler'],
  [/\bcounterWindow\b/g, 'Zählerfenster'],
  [/\bsyncWindow\b/g, 'Synchronisierungsfenster'],
  [/\bcounter\b/g, 'Zähler'],
  [/\btimeShift\b/g, 'Zeitverschiebung'],
  [/\btimeWindow\b/g, 'Zeitfenster'],
  [/\bocraPin\b/g, 'OCRA-PIN'],
  [/\bpin\b/g, 'PIN'],
  [/\bvalidFrom\b/g, 'gültig ab'],
  [/\bvalidUntil\b/g, 'gültig bis'],
  [/\buseCount\b/g, 'Antworten'],
  [/\bmaxUses\b/g, 'höchstens Antworten'],
  [/\bsuccessCount\b/g, 'angenommene Antworten'],
  [/\bmaxSuccesses\b/g, 'höchstens angenommene Antworten'],
  [/\burl\b/g, 'Adresse'],
  [/\brollout\b/g, 'Ausrollen'],
  [/\balgorithm\b/g, 'Algorithmus'],
  [/\breplayMarkers\b/g, 'Merker gegen Wiederholung'],
  [/\bsyncMarker\b/g, 'Merker der Synchronisierung'],
  [/\bselfEnrolled\b/g, 'Beginn auf der Kontoseite'],
  [/\blastSuccessAt\b/g, 'letzte angenommene Antwort'],
  [/\bseed\b/g, 'Schlüssel'],
  [/\bsharedSecret\b/g, 'gemeinsames Geheimnis'],
  [/\bnonce\b/g, 'Nonce'],
  [/\bevents\b/g, 'Ereignisse'],
];

const GERMAN_AMOUNTS: Details = [
  [/, out of step$/g, ': das Token ist aus dem Tritt'],
  [/, right PIN$/g, ', aber die PIN war richtig'],
  [/, right response$/g, ', aber die Antwort war richtig'],
  [/, decline$/g, ': zu spät auf dem Gerät abgelehnt'],
  [/, report$/g, ': zu spät auf dem Gerät gemeldet: Das war ich nicht'],
  [/: the source has it no longer$/g, ': Die Quelle hat es nicht mehr'],
  [/, unknown actions are without effect:/g, ', unbekannte Aktionen sind ohne Wirkung:'],
  [/, inactive:/g, ', nicht aktiv:'],
  [/, encrypted by a passphrase$/g, ', verschlüsselt mit einem Passwortsatz'],
  [/, encrypted for\b/g, ', verschlüsselt für'],
  [/, encrypted\b/g, ', verschlüsselt'],
  [/(?<=, selected by [a-zA-Z ]+) and /g, ' und '],
  [/, selected by\b/g, ', ausgewählt nach'],
  [/, since (?=\d)/g, ', seit '],
  [/, until (?=\d)/g, ', bis '],
  [/, bound to realms$/g, ', auf Realms beschränkt'],
  [/, open challenges closed$/g, ', offene Challenges geschlossen'],
  [/ up to\b/g, ' bis'],
  [/ anew, (\d+) left$/g, ' neu, $1 übrig'],
  [/\b(\d+) drifted$/g, '$1 waren falsch'],
  [/\b(\d+) open ones$/g, '$1 offene'],
  [/\b(\d+) findings in (\d+) rows$/g, '$1 Befunde in $2 Zeilen'],
  [/\b(\d+) challenges\b/g, '$1 Challenges'],
  [/\b(\d+) sessions\b/g, '$1 Sitzungen'],
  [/\b(\d+) rate limits\b/g, '$1 Zähler von Limits'],
  [/\b(\d+) response minutes\b/g, '$1 Minutenwerte von Antworten'],
  [/\b(\d+) users?\b/g, '$1 Benutzer'],
  [/, at (?=\S)/g, ', bei '],
  [/^ (resolver|realm|policy|setting|administrator)(?=$|:)/g, ' ($1)'],
  [/\bunknown name\b/g, 'unbekannter Name'],
  [/\bin the API token\b/g, 'im API-Token'],
  [/\b(\d+) times\b/g, '$1-mal'],
  [/\bfrom (\d+) tokens\b/g, 'aus $1 Token'],
  [/\b(\d+) tokens unassigned\b/g, '$1 Token ohne Inhaber'],
  [/\b(\d+) API tokens revoked\b/g, '$1 API-Token widerrufen'],
  [/\b(\d+) deliveries\b/g, '$1 Zustellungen'],
  [/\b(\d+) rows\b/g, '$1 Zeilen'],
  [/\b(\d+) of them\b/g, '$1 davon'],
];

const outcomeWords: Texts<OutcomeWords> = {
  en: {
    phrases: {
      ...Object.fromEntries(Object.keys(GERMAN).map((phrase) => [phrase, phrase])),
      ...overviewTexts.en.outcomes,
    },
    fields: [],
    amounts: [],
  },
  de: {
    phrases: { ...GERMAN, ...overviewTexts.de.outcomes },
    fields: GERMAN_FIELDS,
    amounts: GERMAN_AMOUNTS,
  },
};

/** Words that mean something else of a response than of an act of administration. */
const OF_ADMINISTRATION: Texts<Readonly<Record<string, string>>> = {
  en: { disabled: 'disabled', closed: 'closed', unverifiable: 'not verified' },
  de: { disabled: 'deaktiviert', closed: 'geschlossen', unverifiable: 'nicht bestätigt' },
};
/** Their details are the names of fields. */
const OF_FIELDS: readonly string[] = ['changed', 'removed', 'copied'];
/** A name follows, which stays as it is. */
const NAMES_FOLLOW = /^(?:passkey|second factor|session opened|renamed from|refused: single sign-on,)/;
const ABOUT_RESPONSES = /^(?:ocra|validate|cli)\//;

/** @returns the outcome of a row of that action in a language: what it begins with, and the details that are known */
export function outcomeText(outcome: string, language: 'en' | 'de', action: string): string {
  const { phrases, fields, amounts } = outcomeWords[language];
  const own = ABOUT_RESPONSES.test(action) ? phrases : { ...phrases, ...OF_ADMINISTRATION[language] };
  const [lead] = Object.keys(own)
    .filter((phrase) => outcome.startsWith(phrase) && /^(?:$|[\s,:])/.test(outcome.slice(phrase.length)))
    .sort((one, other) => other.length - one.length);
  if (lead === undefined) {
    return outcome;
  }
  const details = NAMES_FOLLOW.test(lead) ? [] : [...(OF_FIELDS.includes(lead) ? fields : []), ...amounts];
  const rest = details.reduce(
    (text, [pattern, words]) => text.replace(pattern, words),
    outcome.slice(lead.length),
  );
  return `${own[lead] ?? lead}${rest}`;
}

/** Tells whether a PIN was right. */
const OF_PIN = ', right';

/** @returns true if the server lets the caller search for such outcomes, wherever the caller reads the audit */
function mayFindPins(session: Session): boolean {
  return (
    session.mayEverywhere('admin', 'set') ||
    (!session.mayEverywhere('admin', 'audit') &&
      session.realmsWith('audit').every((realm) => session.may('admin', 'set', realm)))
  );
}

/**
 * @param known the first words of outcomes that the server knows
 * @returns what the caller can type to find these outcomes, sorted
 */
export function typableOutcomes(
  known: readonly string[],
  language: 'en' | 'de',
  session: Session,
): readonly string[] {
  const { phrases } = outcomeWords[language];
  const hasPins = mayFindPins(session);
  const words = Object.keys(phrases).filter(
    (phrase) => known.includes(/^[a-z]*/.exec(phrase)?.[0] ?? '') && (hasPins || !phrase.includes(OF_PIN)),
  );
  const others = known.filter((word) => words.every((phrase) => !phrase.startsWith(word)));
  return [...new Set([...words.map((phrase) => phrases[phrase] ?? phrase), ...others])].sort((one, other) =>
    one.localeCompare(other, language),
  );
}

/** @returns what the server calls the outcome that a person has typed in words; else what was typed */
export function typedOutcome(typed: string, language: 'en' | 'de'): string {
  const sought = typed.trim().toLowerCase();
  const all = [outcomeWords[language].phrases, OF_ADMINISTRATION[language]];
  const found = all
    .flatMap((phrases) => Object.entries(phrases))
    .find(([, words]) => words.toLowerCase() === sought);
  return found?.[0] ?? typed.trim();
}
