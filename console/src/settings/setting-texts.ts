import type { Texts } from '../language/language.ts';

interface SettingTexts {
  readonly title: string;
  readonly lead: string;
  readonly setting: string;
  readonly value: string;
  readonly initial: string;
  readonly none: string;
  readonly withheld: string;
  readonly isSet: string;
  readonly isDefault: string;
  readonly others: string;
  readonly othersLead: string;
  readonly change: (key: string) => string;
  readonly changeShort: string;
  readonly reset: (key: string) => string;
  readonly resetShort: string;
  readonly removeShort: string;
  readonly save: string;
  readonly present: (value: string) => string;
  readonly forms: Readonly<Record<'number' | 'duration' | 'suite' | 'boolean' | 'text', string>>;
  readonly range: (min: number, max: number) => string;
  readonly seconds: string;
  readonly nothingFollows: string;
  readonly meanings: Readonly<Record<string, string>>;
}

export const settingTexts: Texts<SettingTexts> = {
  en: {
    title: 'Settings',
    lead: 'Values in the database, for all servers on it.',
    setting: 'Setting',
    value: 'Value in force',
    initial: 'Default',
    none: 'none',
    withheld: 'not shown: it may be a secret',
    isSet: 'set',
    isDefault: 'default',
    others: 'Other stored values',
    othersLead: 'The server does not read these. They come from an import or from old clients.',
    change: (key) => `Change ${key}`,
    changeShort: 'Change',
    reset: (key) => `Restore the default of ${key}`,
    resetShort: 'Default',
    removeShort: 'Remove',
    save: 'Save',
    present: (value) => `The value in force is now: ${value}`,
    forms: {
      number: 'A whole number',
      duration: 'Seconds (300), or a form like 1D2H3M4S',
      suite: 'An OCRA suite, such as OCRA-1:HOTP-SHA256-8:C-QN08',
      boolean: 'True or False',
      text: 'A text',
    },
    range: (min, max) => `from ${min} to ${max}`,
    seconds: 'seconds',
    nothingFollows: 'Nothing else follows.',
    meanings: {},
  },
  de: {
    title: 'Einstellungen',
    lead: 'Werte in der Datenbank, für alle Server an ihr.',
    setting: 'Einstellung',
    value: 'Geltender Wert',
    initial: 'Vorgabe',
    none: 'keiner',
    withheld: 'nicht gezeigt: kann ein Geheimnis sein',
    isSet: 'gesetzt',
    isDefault: 'Vorgabe',
    others: 'Andere gespeicherte Werte',
    othersLead: 'Der Server liest sie nicht. Sie stammen aus einem Import oder von alten Clients.',
    change: (key) => `${key} ändern`,
    changeShort: 'Ändern',
    reset: (key) => `Vorgabe von ${key} wiederherstellen`,
    resetShort: 'Vorgabe',
    removeShort: 'Entfernen',
    save: 'Speichern',
    present: (value) => `Jetzt gilt der Wert: ${value}`,
    forms: {
      number: 'Eine ganze Zahl',
      duration: 'Sekunden (300), oder eine Form wie 1D2H3M4S',
      suite: 'Eine OCRA-Suite, etwa OCRA-1:HOTP-SHA256-8:C-QN08',
      boolean: 'True oder False',
      text: 'Ein Text',
    },
    range: (min, max) => `von ${min} bis ${max}`,
    seconds: 'Sekunden',
    nothingFollows: 'Sonst folgt nichts daraus.',
    meanings: {
      OcraMaxChallenges: 'offene Challenges eines Tokens; eine weitere schließt die älteste',
      OcraMaxChallengeRequests: 'falsche Antworten, die eine Challenge schließen',
      OcraChallengeTimeout: 'Lebensdauer neuer Challenges',
      'ocra.timeWindow': 'Abweichung, die die Uhr eines Geräts haben darf, in beide Richtungen',
      'ocra.timeShift': 'wird zur Uhr des Servers addiert, bevor verglichen wird',
      OcraDefaultSuite: 'Suite einfacher Token, die keine nennen',
      QrOcraDefaultSuite: 'Suite der QR-TAN-Apps',
      AutoResync:
        'zwei aufeinanderfolgende Antworten vor den Fenstern synchronisieren den Zähler eines Tokens neu',
      AutoResyncTimeout: 'Zeit zwischen den beiden Antworten von AutoResync, bei HOTP und TOTP',
      DefaultMaxFailCount: 'falsche Antworten in Folge, die ein neues Token sperren',
      DefaultCountWindow: 'Zähler, um die eine Antwort eines neuen Tokens voraus sein darf',
      DefaultSyncWindow:
        'Zähler oder Zeitschritte voraus, die eine Resynchronisation eines neuen Tokens versucht',
      splitAtSign:
        'login@realm und realm\\login nennen einen Realm, wenn es ihn gibt; False: alles ist der Login',
      PrependPin: 'PIN oder Passwort steht vor der Antwort; False: danach',
      DefaultResetFailCount: 'eine angenommene Antwort setzt den Fehlerzähler zurück; False wird abgelehnt',
      FailCounterIncOnFalsePin: 'eine falsche PIN zählt als falsche Antwort; False wird abgelehnt',
      PassOnUserNotFound: 'ein unbekannter Benutzer wird abgelehnt; True wird abgelehnt',
      PassOnUserNoToken: 'ein Benutzer ohne Token wird abgelehnt; True wird abgelehnt',
      AllowSamlAttributes:
        '/validate/samlcheck nennt die Attribute eines Benutzers, dessen Antwort angenommen wurde',
      errors: 'Fehlercodes, für die der Parameter httperror gilt, mit Kommas; ohne Wert: alle',
      'monitoring.license':
        'Felder der Lizenz, die /monitoring/license nennt, als JSON, etwa {"licensee": "Bank", "user-num": 500, "expire": "2027-12-31"}; ohne Wert: Unterstützung durch die Community',
      BackupElsewhere:
        'Sicherungen werden anders gemacht als mit tankeeper export: Erste Schritte und Doctor fragen nach keiner',
      InstallationName:
        'Name dieser Installation bei der Anmeldung und in den Titeln der Konsole, etwa Test; ohne Anmeldung lesbar',
      InstallationColour: 'Farbe dieses Namens, etwa #c92a2a; ohne Anmeldung lesbar',
    },
  },
};
