import type { Texts } from '../language/language.ts';

interface WebhookTexts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly add: string;
  readonly addTitle: string;
  readonly back: string;
  readonly unknown: (name: string) => string;
  readonly open: string;
  readonly enabled: string;
  readonly disabled: string;
  readonly failing: string;
  readonly url: string;
  readonly urlHint: string;
  readonly name: string;
  readonly nameHint: string;
  readonly events: string;
  readonly allEvents: string;
  readonly eventMeanings: Readonly<Record<string, string>>;
  readonly realms: string;
  readonly realmsHint: string;
  readonly allRealms: string;
  readonly reach: string;
  readonly bounded: string;
  readonly unbounded: string;
  readonly created: string;
  readonly delivered: string;
  readonly waiting: string;
  readonly since: (time: string) => string;
  readonly givenUp: string;
  readonly lastSuccess: string;
  readonly lastFailure: string;
  readonly failure: (reason: string, time: string) => string;
  readonly save: string;
  readonly edit: string;
  readonly editTitle: (name: string) => string;
  readonly editLead: string;
  readonly saveChange: string;
  readonly test: string;
  readonly tested: (status: number, milliseconds: string) => string;
  readonly notDelivered: string;
  readonly retry: string;
  readonly retried: (deliveries: string) => string;
  readonly enable: string;
  readonly disable: string;
  readonly disableTitle: (name: string) => string;
  readonly disableText: string;
  readonly rotate: string;
  readonly rotateTitle: (name: string) => string;
  readonly rotateText: string;
  readonly remove: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: (deliveries: string) => string;
  readonly secretTitle: string;
  readonly secretText: string;
  readonly secretKept: string;
  readonly deliveries: string;
  readonly noDeliveries: string;
  readonly event: string;
  readonly attempts: string;
  readonly next: string;
}

export const webhookTexts: Texts<WebhookTexts> = {
  en: {
    title: 'Webhooks',
    lead: 'Other programs that are told of events: signed, and each at least once.',
    none: 'There is no webhook yet.',
    add: 'New webhook',
    addTitle: 'New webhook',
    back: 'All webhooks',
    unknown: (name) => `There is no webhook ${name}.`,
    open: 'Open',
    enabled: 'enabled',
    disabled: 'disabled',
    failing: 'failing',
    url: 'Address',
    urlHint:
      'Begins with https:// and is at a public address. A receiver in an inner network is added at the machine: tankeeper webhook add.',
    name: 'Name',
    nameHint: 'Letters, digits, dots, dashes and underscores.',
    events: 'Events',
    allEvents: 'all',
    eventMeanings: {},
    realms: 'Realms',
    realmsHint: 'Only events of tokens in these realms. None chosen: of all tokens.',
    allRealms: 'all tokens',
    reach: 'Reach',
    bounded: 'public addresses only',
    unbounded: 'set at the machine',
    created: 'Added',
    delivered: 'Delivered',
    waiting: 'Waiting',
    since: (time) => `the oldest since ${time}`,
    givenUp: 'Given up',
    lastSuccess: 'Last success',
    lastFailure: 'Last failure',
    failure: (reason, time) => `${reason}, ${time}`,
    save: 'Add',
    edit: 'Change',
    editTitle: (name) => `Change ${name}`,
    editLead: 'The secret of the signatures stays. Deliveries that wait go to the new address.',
    saveChange: 'Save',
    test: 'Test',
    tested: (status, milliseconds) => `The receiver has answered HTTP ${status} after ${milliseconds} ms.`,
    notDelivered: 'The receiver has not taken the test event',
    retry: 'Deliver now',
    retried: (deliveries) => `Deliveries tried now: ${deliveries}.`,
    enable: 'Enable',
    disable: 'Disable',
    disableTitle: (name) => `Disable ${name}?`,
    disableText: 'Nothing is sent to it. What waits stays; new events are left out for good.',
    rotate: 'New secret',
    rotateTitle: (name) => `Make a new secret for ${name}?`,
    rotateText: 'The present secret signs, too, for one day. Give the new one to the receiver within it.',
    remove: 'Remove',
    removeTitle: (name) => `Remove ${name}?`,
    removeText: (deliveries) => `Deliveries that are lost with it: ${deliveries}.`,
    secretTitle: 'The secret of the signatures',
    secretText: 'It is shown this once. Give it to the receiver now.',
    secretKept: 'I have it',
    deliveries: 'Deliveries that wait or were given up',
    noDeliveries: 'No delivery waits.',
    event: 'Event',
    attempts: 'Attempts',
    next: 'Next attempt',
  },
  de: {
    title: 'Webhooks',
    lead: 'Andere Programme, die von Ereignissen erfahren: unterschrieben und jedes mindestens einmal.',
    none: 'Es gibt noch keinen Webhook.',
    add: 'Neuer Webhook',
    addTitle: 'Neuer Webhook',
    back: 'Alle Webhooks',
    unknown: (name) => `Es gibt keinen Webhook ${name}.`,
    open: 'Öffnen',
    enabled: 'eingeschaltet',
    disabled: 'ausgeschaltet',
    failing: 'gestört',
    url: 'Adresse',
    urlHint:
      'Beginnt mit https:// und liegt an einer öffentlichen Adresse. Empfänger in einem inneren Netz werden am Rechner angelegt: tankeeper webhook add.',
    name: 'Name',
    nameHint: 'Buchstaben, Ziffern, Punkte, Striche und Unterstriche.',
    events: 'Ereignisse',
    allEvents: 'alle',
    eventMeanings: {
      'response.accepted': 'Eine Antwort war richtig und ist angenommen',
      'challenge.declined':
        'Der Benutzer hat auf dem Gerät abgelehnt; `reason` ist `reported`, wenn er sagt: „Das war ich nicht“',
      'response.refused': 'Eine Antwort wurde abgelehnt; `reason` nennt den Grund',
      'token.locked': 'Der Fehlerzähler eines Tokens hat seine Grenze erreicht',
      'token.enrolled':
        'Ein Token hat seinen Schlüssel und ist bereit: angelegt, aus einer Schlüsseldatei oder ausgerollt',
      'token.key_changed': 'Ein Token wurde neu ausgerollt: Sein alter Schlüssel gilt nicht mehr',
    },
    realms: 'Realms',
    realmsHint: 'Nur Ereignisse von Token in diesen Realms. Keiner gewählt: von allen Token.',
    allRealms: 'alle Token',
    reach: 'Reichweite',
    bounded: 'nur öffentliche Adressen',
    unbounded: 'am Rechner festgelegt',
    created: 'Angelegt',
    delivered: 'Zugestellt',
    waiting: 'Wartend',
    since: (time) => `das älteste seit ${time}`,
    givenUp: 'Aufgegeben',
    lastSuccess: 'Letzter Erfolg',
    lastFailure: 'Letzter Fehler',
    failure: (reason, time) => `${reason}, ${time}`,
    save: 'Anlegen',
    edit: 'Ändern',
    editTitle: (name) => `${name} ändern`,
    editLead: 'Das Geheimnis der Unterschriften bleibt. Wartende Zustellungen gehen an die neue Adresse.',
    saveChange: 'Speichern',
    test: 'Testen',
    tested: (status, milliseconds) =>
      `Der Empfänger hat nach ${milliseconds} ms mit HTTP ${status} geantwortet.`,
    notDelivered: 'Der Empfänger hat das Testereignis nicht angenommen',
    retry: 'Jetzt zustellen',
    retried: (deliveries) => `Zustellungen, die jetzt versucht werden: ${deliveries}.`,
    enable: 'Einschalten',
    disable: 'Ausschalten',
    disableTitle: (name) => `${name} ausschalten?`,
    disableText: 'Es wird nichts mehr gesendet. Wartendes bleibt; neue Ereignisse entfallen endgültig.',
    rotate: 'Neues Geheimnis',
    rotateTitle: (name) => `Neues Geheimnis für ${name}?`,
    rotateText:
      'Das bisherige Geheimnis unterschreibt noch einen Tag lang mit. Geben Sie dem Empfänger in dieser Zeit das neue.',
    remove: 'Entfernen',
    removeTitle: (name) => `${name} entfernen?`,
    removeText: (deliveries) => `Zustellungen, die damit verloren gehen: ${deliveries}.`,
    secretTitle: 'Das Geheimnis der Unterschriften',
    secretText: 'Es wird nur dieses eine Mal gezeigt. Geben Sie es jetzt dem Empfänger.',
    secretKept: 'Ich habe es',
    deliveries: 'Wartende und aufgegebene Zustellungen',
    noDeliveries: 'Keine Zustellung wartet.',
    event: 'Ereignis',
    attempts: 'Versuche',
    next: 'Nächster Versuch',
  },
};
