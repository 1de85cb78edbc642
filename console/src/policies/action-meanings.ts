import type { Language } from '../language/language.ts';

/** German meanings of the actions; the English ones come from the server, as do those of new actions. */
const GERMAN: Readonly<Record<string, string>> = {
  'admin:init': 'Tokens ausrollen, oder einem Token einen neuen Schlüssel geben',
  'admin:loadtokens': 'die Schlüssel einer PSKC-Datei laden',
  'admin:show': 'Tokens auflisten',
  'admin:userlist': 'Benutzer auflisten',
  'admin:set': 'PIN, Grenzen und Beschreibung eines Tokens setzen',
  'admin:reset': 'den Fehlerzähler eines Tokens auf 0 setzen, was ihn entsperrt',
  'admin:resync': 'einen Token neu synchronisieren',
  'admin:enable': 'einen Token einschalten',
  'admin:disable': 'einen Token ausschalten',
  'admin:assign': 'einem Benutzer einen Token zuweisen',
  'admin:unassign': 'einem Token den Inhaber nehmen',
  'admin:remove': 'einen Token und seine Challenges entfernen',
  'admin:tokenrealm': 'die Realms eines Tokens setzen',
  'admin:audit': 'das Audit durchsuchen',
  'admin:transaction': 'sehen, was mit einer Transaktion geschah',
  'admin:transactiondata': 'den angezeigten Text einer Transaktion sehen, mit dem Recht transaction',
  'admin:sessions': 'die Sitzungen anderer Administratoren auflisten und beenden',
  'system:read': 'Richtlinien, Realms, Resolver und Einstellungen sehen',
  'system:write': 'Richtlinien, Realms, Resolver und Einstellungen ändern',
  'monitoring:tokens': 'Tokens nach Realm und Zustand zählen',
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
  'authentication:qrtanurl': 'die URL, an die Apps ihre Antworten senden',
  'authentication:otppin': 'PIN oder Passwort vor einer Antwort',
};

/** @param meaning the server's. @returns the meaning of an action in the language of the console */
export function meaningOf(language: Language, scope: string, action: string, meaning: string): string {
  return language === 'de' ? (GERMAN[`${scope}:${action}`] ?? meaning) : meaning;
}
