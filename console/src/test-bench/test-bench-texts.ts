import type { Texts } from '../language/language.ts';
import type { AttemptMeaning, ResponseKind } from './explain-answer.ts';

interface TestBenchTexts {
  readonly title: string;
  readonly lead: string;
  readonly token: string;
  readonly find: string;
  readonly findHint: string;
  readonly findHintSerialOnly: string;
  readonly search: string;
  readonly chosen: (serial: string) => string;
  readonly other: string;
  readonly nothingFound: string;
  readonly nobody: string;
  readonly inactive: string;
  readonly challenge: string;
  readonly data: string;
  readonly dataHint: string;
  readonly issue: string;
  readonly issueAgain: string;
  readonly code: string;
  readonly codeHint: string;
  readonly link: string;
  readonly transaction: string;
  readonly timeline: string;
  readonly remaining: (time: string) => string;
  readonly over: string;
  readonly since: (time: string) => string;
  readonly states: Readonly<Record<'unknown' | 'open' | 'wrong' | 'accepted' | 'closed', string>>;
  readonly failcount: (count: number) => string;
  readonly unwatched: string;
  readonly answer: string;
  readonly tan: string;
  readonly tanHint: string;
  readonly send: string;
  readonly attempts: string;
  readonly noAttempts: string;
  readonly kinds: Readonly<Record<ResponseKind, string>>;
  readonly meanings: Readonly<Record<AttemptMeaning, string>>;
  readonly serverSays: string;
  readonly device: string;
  readonly deviceLead: string;
  readonly user: string;
  readonly userHint: string;
  readonly realm: string;
  readonly enrol: string;
  readonly noEnrol: string;
  readonly enrolDescription: string;
  readonly enrolMessage: string;
  readonly shows: string;
  readonly empty: string;
  readonly refusedText: string;
  readonly confirmFirst: string;
  readonly confirm: string;
  readonly decline: string;
  readonly enrolled: (serial: string) => string;
  readonly use: string;
  readonly removeToken: string;
  readonly reads: string;
  readonly readCode: string;
  readonly response: string;
  readonly sendResponse: string;
  readonly sendAltered: string;
  readonly sendAgain: string;
  readonly foreign: string;
}

const en: TestBenchTexts = {
  title: 'Test bench',
  lead: 'Issue a challenge, answer it by the app, by hand or by a virtual device, and watch its state.',
  token: '1. Token',
  find: 'Serial or user',
  findHint: 'A serial, or a user (user@realm).',
  findHintSerialOnly: 'A serial. To search by user takes the right admin:show.',
  search: 'Find',
  chosen: (serial) => `Token ${serial}`,
  other: 'Another token',
  nothingFound: 'There is no such OCRA token, or you may not see it.',
  nobody: 'no owner',
  inactive: 'disabled',
  challenge: '2. Challenge',
  data: 'Display data',
  dataHint:
    'The text that the app shows for confirmation. It must fit into a QR code; the server says so where it does not. Empty: a random question.',
  issue: 'Issue challenge',
  issueAgain: 'Issue another challenge',
  code: 'QR code of the challenge',
  codeHint: 'Scan it with the app that has this token.',
  link: 'The code as a link',
  transaction: 'Transaction',
  timeline: 'Timeline',
  remaining: (time) => `Takes responses for ${time}`,
  over: 'Its time is over.',
  since: (time) => `Issued ${time} ago`,
  states: {
    unknown: 'Asking for the state …',
    open: 'Open: no response yet',
    wrong: 'Open: the last response was wrong',
    accepted: 'Accepted',
    closed: 'Closed: it takes no more responses',
  },
  failcount: (count) => `Wrong responses of the token in a row: ${count}`,
  unwatched: 'The state is not shown: you lack the right ocra:status.',
  answer: '3. Answer',
  tan: 'TAN',
  tanHint: 'As the app shows it; a token PIN comes before it.',
  send: 'Send TAN',
  attempts: 'Responses from this page',
  noAttempts: 'None yet.',
  kinds: {
    typed: 'Typed TAN',
    device: 'TAN of the virtual device',
    altered: 'Wrong TAN',
    repeated: 'The same TAN again',
  },
  meanings: {
    accepted: 'Accepted. This transaction takes no further response.',
    replay:
      'Refused: a response was accepted before, and the transaction takes no second one. Nothing is counted.',
    closed:
      'Refused: the transaction is closed, as it expired, was replaced or had too many wrong responses.',
    wrong: 'Wrong, and counted against the token.',
    refused: 'Refused, and not counted: the transaction has expired, or the token is disabled.',
  },
  serverSays: 'The server answers',
  device: 'Virtual device',
  deviceLead:
    'A device in this page, with a token of its own. Its keys are in the memory of this tab only, and are gone with it.',
  user: 'User (optional)',
  userHint: 'Empty: the token belongs to nobody.',
  realm: 'Realm (optional)',
  enrol: 'Enrol a virtual token',
  noEnrol: 'To enrol a virtual token takes the right admin:init.',
  enrolDescription: 'virtual device of the test bench',
  enrolMessage: 'First challenge of a virtual device',
  shows: 'The device shows',
  empty: 'No text: the question is random.',
  refusedText: 'The device refuses this text: characters in it change or hide what is seen.',
  confirmFirst: 'No response exists before it is confirmed.',
  confirm: 'Confirm',
  decline: 'Decline',
  enrolled: (serial) => `Token ${serial} is on the device.`,
  use: 'Use this token',
  removeToken: 'Remove the token',
  reads: 'The challenge is for the token of the device.',
  readCode: 'Read the code',
  response: 'Response',
  sendResponse: 'Send it',
  sendAltered: 'Send a wrong TAN',
  sendAgain: 'Send the same TAN again',
  foreign: 'Issue a challenge to the token of the device to read it here.',
};

const de: TestBenchTexts = {
  title: 'Prüfstand',
  lead: 'Eine Challenge stellen, sie mit der App, von Hand oder mit einem virtuellen Gerät beantworten und den Zustand verfolgen.',
  token: '1. Token',
  find: 'Seriennummer oder Benutzer',
  findHint: 'Eine Seriennummer oder ein Benutzer (benutzer@realm).',
  findHintSerialOnly: 'Eine Seriennummer. Die Suche nach Benutzern erfordert das Recht admin:show.',
  search: 'Suchen',
  chosen: (serial) => `Token ${serial}`,
  other: 'Anderes Token',
  nothingFound: 'Dieses OCRA-Token gibt es nicht, oder Sie dürfen es nicht sehen.',
  nobody: 'kein Inhaber',
  inactive: 'deaktiviert',
  challenge: '2. Challenge',
  data: 'Anzeigedaten',
  dataHint:
    'Der Text, den die App zur Bestätigung anzeigt. Er muss in einen QR-Code passen; andernfalls sagt der Server es. Leer: eine zufällige Frage.',
  issue: 'Challenge stellen',
  issueAgain: 'Weitere Challenge stellen',
  code: 'QR-Code der Challenge',
  codeHint: 'Mit der App scannen, die dieses Token hat.',
  link: 'Der Code als Link',
  transaction: 'Transaktion',
  timeline: 'Verlauf',
  remaining: (time) => `Nimmt noch ${time} Antworten an`,
  over: 'Ihre Zeit ist abgelaufen.',
  since: (time) => `Gestellt vor ${time}`,
  states: {
    unknown: 'Zustand wird abgefragt …',
    open: 'Offen: noch keine Antwort',
    wrong: 'Offen: die letzte Antwort war falsch',
    accepted: 'Angenommen',
    closed: 'Geschlossen: nimmt keine Antworten mehr an',
  },
  failcount: (count) => `Falsche Antworten des Tokens in Folge: ${count}`,
  unwatched: 'Der Zustand wird nicht angezeigt: Ihnen fehlt das Recht ocra:status.',
  answer: '3. Antwort',
  tan: 'TAN',
  tanHint: 'Wie die App sie anzeigt; eine Token-PIN steht davor.',
  send: 'TAN senden',
  attempts: 'Antworten von dieser Seite',
  noAttempts: 'Noch keine.',
  kinds: {
    typed: 'Eingegebene TAN',
    device: 'TAN des virtuellen Geräts',
    altered: 'Falsche TAN',
    repeated: 'Dieselbe TAN noch einmal',
  },
  meanings: {
    accepted: 'Angenommen. Diese Transaktion nimmt keine weitere Antwort an.',
    replay:
      'Abgelehnt: Eine Antwort wurde schon angenommen, eine zweite nimmt die Transaktion nicht an. Nichts wird gezählt.',
    closed:
      'Abgelehnt: Die Transaktion ist geschlossen, weil sie abgelaufen ist, ersetzt wurde oder zu viele falsche Antworten hatte.',
    wrong: 'Falsch, und beim Token gezählt.',
    refused: 'Abgelehnt und nicht gezählt: Die Transaktion ist abgelaufen, oder das Token ist deaktiviert.',
  },
  serverSays: 'Der Server antwortet',
  device: 'Virtuelles Gerät',
  deviceLead:
    'Ein Gerät in dieser Seite mit einem eigenen Token. Seine Schlüssel sind nur im Speicher dieses Tabs und verschwinden mit ihm.',
  user: 'Benutzer (optional)',
  userHint: 'Leer: Das Token gehört niemandem.',
  realm: 'Realm (optional)',
  enrol: 'Virtuelles Token ausrollen',
  noEnrol: 'Ein virtuelles Token auszurollen erfordert das Recht admin:init.',
  enrolDescription: 'virtuelles Gerät des Prüfstands',
  enrolMessage: 'Erste Challenge eines virtuellen Geräts',
  shows: 'Das Gerät zeigt',
  empty: 'Kein Text: Die Frage ist zufällig.',
  refusedText: 'Das Gerät lehnt diesen Text ab: Zeichen darin verändern oder verbergen, was man sieht.',
  confirmFirst: 'Vor der Bestätigung gibt es keine Antwort.',
  confirm: 'Bestätigen',
  decline: 'Ablehnen',
  enrolled: (serial) => `Token ${serial} ist auf dem Gerät.`,
  use: 'Dieses Token verwenden',
  removeToken: 'Token entfernen',
  reads: 'Die Challenge ist für das Token des Geräts.',
  readCode: 'Code lesen',
  response: 'Antwort',
  sendResponse: 'Senden',
  sendAltered: 'Falsche TAN senden',
  sendAgain: 'Dieselbe TAN noch einmal senden',
  foreign: 'Stellen Sie dem Token des Geräts eine Challenge, um sie hier zu lesen.',
};

export const testBenchTexts: Texts<TestBenchTexts> = { en, de };
