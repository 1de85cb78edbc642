import type { Language } from '../language/language.ts';

interface FindingWords {
  /** The fact in general. The words of the server, which are English, name what it is about. */
  readonly text: string;
  readonly remedy: string;
}

/** By the code of a finding. */
const GERMAN: Readonly<Record<string, FindingWords>> = {
  'variables.unknown': {
    text: 'Der Server liest eine gesetzte Variable nicht.',
    remedy: 'Sie entfernen; `tankeeper config` zeigt die bekannten',
  },
  'addresses.plain-http': {
    text: 'Der Server ist ohne TLS von anderen Maschinen erreichbar und vertraut keinem Proxy: Passwörter und Antworten können offen übertragen werden.',
    remedy:
      '`HOST=127.0.0.1` hinter einem Proxy auf dieser Maschine, sonst TRUST_PROXY mit der Adresse des Proxys und ein Netz, das nur er erreicht',
  },
  'addresses.everyone': {
    text: 'TRUST_PROXY oder LIMIT_EXEMPT nennt alle Adressen: Clients wählen ihre Adresse selbst, oder raten Antworten ohne Limit.',
    remedy: 'TRUST_PROXY nur mit den Adressen der Proxys, LIMIT_EXEMPT nur mit denen der Portale',
  },
  'key.exposed': {
    text: 'Andere dürfen die Schlüsseldatei lesen, ändern oder ersetzen.',
    remedy:
      '`chmod go-rw` für die Datei, `chmod go-w` für ihren Ordner; bei einem eingehängten Secret defaultMode: 0440',
  },
  'database.settings': {
    text: 'Die Datenbank ist zu alt, nur zu lesen, oder hat Einstellungen, mit denen Daten verloren gehen können.',
    remedy:
      '`ALTER SYSTEM SET` mit dem Wert `on`, dann `SELECT pg_reload_conf()`; Verbindung zur Haupt-Datenbank, PostgreSQL 14 oder neuer, Kodierung UTF8',
  },
  'database.limits': {
    text: 'Ein Pooler verwirft Zeitgrenzen: Befehle, Sperren oder Verbindungen können hängen bleiben.',
    remedy: 'Die Grenzen der Rolle in PostgreSQL setzen (`ALTER ROLE`)',
  },
  'database.connections': {
    text: 'Die Datenbank gewährt weniger Verbindungen, als die Server brauchen können: Unter Volllast werden Anfragen abgelehnt.',
    remedy:
      'max_connections von PostgreSQL oder die Grenze der Rolle erhöhen; oder DATABASE_POOL_SIZE senken',
  },
  'clock.differs': {
    text: 'Die Uhren der Datenbank und dieser Maschine gehen verschieden.',
    remedy: 'Auf beiden Maschinen einen NTP-Client betreiben (chrony, systemd-timesyncd)',
  },
  'clock.jumped': {
    text: 'Die Uhr der Datenbank ist gesprungen: Altes wird nicht gelöscht, bis sie sicher richtig ist.',
    remedy: 'Die Uhr richtigstellen; geht sie richtig, `tankeeper housekeeping run --confirm-time`',
  },
  'triggers.disabled': {
    text: 'Trigger des Servers sind in der Datenbank deaktiviert: Zählungen, Sperren oder Widerrufe stimmen nicht mehr.',
    remedy:
      '`ALTER TABLE … ENABLE TRIGGER …`, dann `tankeeper count --verify --repair` und ein Neustart der Server',
  },
  'key.rotation': {
    text: 'Ein Wechsel des Schlüssels ist seit einer Woche nicht zu Ende geführt.',
    remedy: '`tankeeper key rotate`, dann `tankeeper key retire` für den früheren Schlüssel',
  },
  'key.unread': {
    text: 'Dieser Server hat den neuesten Schlüssel noch nicht gelesen.',
    remedy: 'Die Schlüsseldatei auf jede Maschine bringen, und jedem Server SIGHUP senden',
  },
  'backup.old': {
    text: 'Im Audit steht keine Sicherung mit `tankeeper export` aus der letzten Woche.',
    remedy:
      '`tankeeper export FILE`, und eine Kopie des Schlüssels an einem anderen Ort; andere Verfahren (pg_dump) sind hier nicht zu sehen',
  },
  'audit.unsealed': {
    text: 'Zeilen des Audits sind von keinem Prüfpunkt gedeckt: Würden sie geändert oder entfernt, fiele es nicht auf.',
    remedy: 'Ein laufender Server schreibt jede Minute einen; sein Log sagt, warum er es nicht tut',
  },
  'policies.unreadable': {
    text: 'Eine Richtlinie ist nicht lesbar und gibt kein Recht.',
    remedy: '`tankeeper policy set NAME` mit bekannten Namen, oder `tankeeper policy remove NAME`',
  },
  'policies.unknown-names': {
    text: 'Eine Richtlinie nennt Aktionen, Realms oder Benutzer, die es hier nicht gibt.',
    remedy: '`tankeeper policy set NAME` ohne sie, oder mit vorhandenen',
  },
  'resolvers.insecure': {
    text: 'Ein Resolver liest ohne TLS von einer anderen Maschine, oder prüft ihr Zertifikat nicht.',
    remedy:
      '`tankeeper resolver set NAME`: EnforceTLS oder ldaps:// und only_trusted_certs bei LDAP, sslmode=verify-full bei SQL, mit CACERTIFICATE',
  },
  'ends.soon': {
    text: 'Ein API-Token oder das Zertifikat eines Resolvers läuft bald ab oder ist abgelaufen.',
    remedy:
      '`tankeeper api-token add`, dann dem Client das neue geben; `tankeeper resolver set NAME` mit dem neuen Zertifikat in CACERTIFICATE',
  },
  'webhooks.failing': {
    text: 'Ein Webhook scheitert nur noch: Sein Empfänger bekommt keine Ereignisse.',
    remedy: 'Den Empfänger in Ordnung bringen, dann `tankeeper webhook test NAME`',
  },
  'doctor.incomplete': {
    text: 'Ein Teil wurde nicht untersucht.',
    remedy: 'Den Grund beheben, dann `tankeeper doctor`',
  },
};

/** @returns what a finding says in a language; undefined: the server's own words are in it, or the code is unknown */
export function findingWords(code: string, language: Language): FindingWords | undefined {
  return language === 'de' && Object.hasOwn(GERMAN, code) ? GERMAN[code] : undefined;
}
