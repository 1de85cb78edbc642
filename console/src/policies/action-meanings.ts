import type { Language } from '../language/language.ts';

/** German meanings of scopes and actions; the English ones come from the server, as do those of new ones. */
const GERMAN: Readonly<Record<string, string>> = {
  admin: 'Token, Benutzer, Audit und Sitzungen',
  system: 'Richtlinien, Realms, Resolver und Einstellungen',
  monitoring: 'Zahlen und Zustände',
  ocra: 'Challenges von Portalen',
  authentication: 'wie sich Token verhalten',
  selfservice: 'was Benutzer mit ihren eigenen Token tun',
  'admin:init': 'Token ausrollen, oder einem Token einen neuen Schlüssel geben',
  'admin:loadtokens': 'die Schlüssel einer PSKC- oder CSV-Datei laden',
  'admin:show': 'Token auflisten',
  'admin:userlist': 'Benutzer auflisten',
  'admin:set': 'PIN, Grenzen und Beschreibung eines Tokens setzen',
  'admin:copytokenpin': 'die PIN eines Tokens auf ein anderes kopieren',
  'admin:getserial': 'das Token finden, von dem eine TAN von HOTP oder TOTP ist',
  'admin:reset': 'den Fehlerzähler eines Tokens auf 0 setzen, was es entsperrt',
  'admin:resync': 'ein Token neu synchronisieren',
  'admin:enable': 'ein Token aktivieren',
  'admin:disable': 'ein Token deaktivieren',
  'admin:assign': 'einem Benutzer ein Token zuweisen',
  'admin:unassign': 'einem Token den Inhaber nehmen',
  'admin:remove': 'ein Token und seine Challenges entfernen',
  'admin:tokenrealm': 'die Realms eines Tokens setzen',
  'admin:audit': 'das Audit durchsuchen',
  'admin:transaction': 'sehen, was mit einer Transaktion geschah',
  'admin:transactiondata': 'den angezeigten Text einer Transaktion sehen, mit dem Recht transaction',
  'admin:sessions': 'die Sitzungen anderer Administratoren auflisten und beenden',
  'system:read': 'Richtlinien, Realms, Resolver und Einstellungen sehen',
  'system:write': 'Richtlinien, Realms, Resolver und Einstellungen ändern',
  'monitoring:tokens': 'Token nach Realm und Zustand zählen',
  'monitoring:userinfo': 'Benutzer nach Realm und Resolver zählen',
  'monitoring:activeUsers': 'Benutzer mit einem aktiven Token zählen',
  'monitoring:config': 'Zustand und Abgleich der Konfiguration sehen',
  'monitoring:license': 'den Stand der Lizenz sehen',
  'monitoring:storageEncryption': 'sehen, ob Geheimnisse verschlüsselt sind',
  'monitoring:metrics': 'die Messwerte des Servers lesen',
  'ocra:request': 'Challenges ausstellen',
  'ocra:status': 'den Zustand von Challenges sehen',
  'ocra:activationcode': 'einen Aktivierungscode erzeugen',
  'ocra:calcOTP': 'die Antwort einer App berechnen, zum Testen von Apps und Portalen',
  'ocra:secondfactor':
    'Challenges für den zweiten Faktor eines Administrators ausstellen, mit dem Recht request',
  'authentication:qrtanurl': 'die URL, an die Apps ihre Antworten senden',
  'authentication:otppin': 'PIN oder Passwort vor einer Antwort',
  'authentication:issuer': 'der Name, den Apps neben einem Token zeigen, ab seinem Ausrollen',
  'authentication:issuerlogo': 'das Bild neben dem Namen des Herausgebers',
  'authentication:challenge_response':
    'PIN oder Passwort allein lassen /validate/check Token dieser Arten eine Challenge ausstellen',
  'selfservice:show':
    'sich unter /app/account anmelden und die eigenen Token sehen, was jede Aktion hier erlaubt',
  'selfservice:rename': 'ein eigenes Token neu beschreiben',
  'selfservice:lock':
    'ein eigenes Token sperren, etwa eines verlorenen Telefons; nur Administratoren heben es auf',
  'selfservice:enrol': 'eine weitere QR-TAN-App ausrollen, bestätigt mit dem Token, das angemeldet hat',
  'selfservice:enroltotp':
    'eine weitere Authenticator-App (TOTP) ausrollen, bestätigt mit dem Token, das angemeldet hat',
};

/** German meanings of the forms of entries and values, by the server's. */
const GERMAN_FORMS: Readonly<Record<string, string>> = {
  'a realm': 'ein Realm',
  'all realms': 'alle Realms',
  'an administrator; in authentication and selfservice, the login of an owner':
    'ein Administrator; in authentication und selfservice der Benutzername eines Inhabers',
  everybody: 'alle',
  'a user in a realm': 'ein Benutzer in einem Realm',
  'all users of a realm': 'alle Benutzer eines Realms',
  'all users of a resolver': 'alle Benutzer eines Resolvers',
  'a pattern for whole names': 'ein Muster für ganze Namen',
  'a group of people who sign in by single sign-on': 'eine Gruppe von Personen mit Single Sign-on',
  'a person who signs in by single sign-on': 'eine Person mit Single Sign-on',
  'not this one; so for every form': 'diese nicht; so bei jeder Form',
  'an address': 'eine Adresse',
  'a network': 'ein Netz',
  'not this one': 'diese nicht',
  'any client': 'jeder Client',
  'Monday to Friday from 8:00 to 17:59': 'Montag bis Freitag von 8:00 bis 17:59',
  'December 2026': 'Dezember 2026',
  always: 'immer',
  'an absolute URL': 'eine absolute URL',
  'a name of at most 40 characters': 'ein Name von höchstens 40 Zeichen',
  'a PNG picture of 16 to 64 pixels a side and at most 512 bytes, in base64url':
    'ein PNG-Bild von 16 bis 64 Pixeln je Seite und höchstens 512 Bytes, in base64url',
  'types of tokens, separated by blanks, or * for all':
    'Arten von Token, durch Leerzeichen getrennt, oder * für alle',
};

/**
 * @param name of a scope, or `scope:action`
 * @param meaning the server's
 * @returns the meaning in the language of the console
 */
export function meaningOf(language: Language, name: string, meaning: string): string {
  return language === 'de' ? (GERMAN[name] ?? meaning) : meaning;
}

/**
 * @param meaning the server's, of a form of entries or values
 * @returns it in the language of the console
 */
export function formMeaning(language: Language, meaning: string): string {
  return language === 'de' ? (GERMAN_FORMS[meaning] ?? meaning) : meaning;
}
