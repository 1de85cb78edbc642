import type { Texts } from '../../language/language.ts';
import type { EnrolKind } from './roll-out.ts';

interface EnrolTexts {
  readonly title: string;
  readonly forPerson: (user: string, realm: string) => string;
  readonly anew: (serial: string) => string;
  readonly forNobody: string;
  readonly choosePerson: string;
  readonly oldKeyEnds: string;
  readonly kind: string;
  readonly kinds: Readonly<
    Record<Exclude<EnrolKind, 'hmac'>, { readonly name: string; readonly help: string }>
  >;
  readonly counting: string;
  readonly countingHelp: string;
  readonly text: string;
  readonly makeToken: string;
  readonly otpQr: string;
  readonly otpHelp: (serial: string) => string;
  readonly description: string;
  readonly pin: string;
  readonly start: string;
  readonly makeKey: string;
  readonly step1: string;
  readonly step1Help: (serial: string) => string;
  readonly qr1: string;
  readonly noApp: string;
  readonly qrApp: string;
  readonly appStands: (serial: string) => string;
  readonly step2: string;
  readonly codeLabel: string;
  readonly codeHelp: string;
  readonly makeCode: string;
  readonly madeCode: string;
  readonly message: string;
  readonly defaultMessage: string;
  readonly showSecond: string;
  readonly step3: string;
  readonly step3Help: string;
  readonly qr2: string;
  readonly waiting: string;
  readonly wrong: (count: string) => string;
  readonly fallen: string;
  readonly ended: string;
  readonly noAddress: string;
  readonly addressMissing: string;
  readonly addressesDiffer: string;
  readonly addressByPolicies: string;
  readonly typed: string;
  readonly typedHelp: string;
  readonly check: string;
  readonly typedWrong: string;
  readonly again: string;
  readonly back: string;
  readonly ready: (serial: string) => string;
  readonly toToken: string;
  readonly keyOnce: string;
  readonly key: string;
  readonly keyQr: string;
  readonly finish: string;
  readonly stop: string;
  readonly removeUnfinished: string;
}

export const enrolTexts: Texts<EnrolTexts> = {
  en: {
    title: 'New token',
    forPerson: (user, realm) => `For ${user} in the realm ${realm}.`,
    anew: (serial) => `The token ${serial} gets a new key.`,
    forNobody: 'For nobody yet: it can be assigned later.',
    choosePerson: 'Choose the person first',
    oldKeyEnds:
      'With the first QR code, the old key ends, also if you stop afterwards. Its PIN stays, unless you give a new one.',
    kind: 'Kind',
    kinds: {
      app: {
        name: 'QR-TAN app',
        help: 'Two QR codes on the screen, and an activation code by another way, such as a letter.',
      },
      totp: { name: 'Authenticator app', help: 'One QR code; the app shows six digits for a sign-in.' },
      pw: { name: 'Fixed text', help: 'The same text each time. Whoever has read it once can sign in.' },
      spass: { name: 'PIN alone', help: 'The token PIN lets the person in, without any device.' },
      plain: {
        name: 'Device with a key',
        help: 'The server makes a key and shows it once. The token is ready at once.',
      },
    },
    counting: 'By a counter instead of the clock (HOTP)',
    countingHelp: 'For devices without a clock.',
    text: 'Fixed text',
    makeToken: 'Make the token',
    otpQr: 'QR code for the authenticator app',
    otpHelp: (serial) =>
      `The person scans it with the app, or opens the link on the phone. Serial: ${serial}`,
    description: 'Description (optional)',
    pin: 'Token PIN (optional)',
    start: 'Show the first QR code',
    makeKey: 'Make the key',
    step1: '1. First QR code',
    step1Help: (serial) => `The person scans it with the app. Serial: ${serial}`,
    qr1: 'First QR code of the roll-out',
    noApp: 'The person has no app yet',
    qrApp: 'QR code of the address of the app',
    appStands: (serial) =>
      `Before the second QR code, the app must show “The first step is done” and the serial ${serial}.`,
    step2: '2. Activation code',
    codeLabel: 'Activation code',
    codeHelp: 'The one that the person has got by another way and types into the app, too.',
    makeCode: 'Make a code',
    madeCode: 'Send this code by another way than the QR codes.',
    message: 'Text that the app shows',
    defaultMessage: 'Welcome',
    showSecond: 'Show the second QR code',
    step3: '3. Second QR code',
    step3Help: 'The person scans it with the app and confirms. This page notices the response.',
    qr2: 'Second QR code of the roll-out',
    waiting: 'Waiting for the first response of the app …',
    wrong: (count) =>
      `A wrong response has come (${count}). Was the activation code typed correctly in the app?`,
    fallen: 'Too many wrong responses: the token waits for the activation code again.',
    ended:
      'This second QR code takes no more responses: it has expired, or another one has taken its place. Choose “New second QR code”.',
    noAddress: 'The app has no address to send its response to (policy qrtanurl). Type the response below.',
    addressMissing: 'No policy gives this token an answer address (qrtanurl): apps refuse its codes.',
    addressesDiffer:
      'Policies give this token several answer addresses (qrtanurl): its challenges are refused.',
    addressByPolicies:
      'Policies with qrtanurl exist, and do not fit this token. Ask whoever may change policies (system:write).',
    typed: 'Response that the app shows',
    typedHelp: 'For an app without a network.',
    check: 'Check',
    typedWrong: 'The response is wrong.',
    again: 'New second QR code',
    back: 'Another activation code',
    ready: (serial) => `The token ${serial} is ready.`,
    toToken: 'To the token',
    keyOnce: 'This key is shown once. Nobody can read it again.',
    key: 'Key, hexadecimal',
    keyQr: 'QR code of the key',
    finish: 'Done, hide the key',
    stop: 'Stop',
    removeUnfinished: 'Stop and remove the unfinished token',
  },
  de: {
    title: 'Neues Token',
    forPerson: (user, realm) => `Für ${user} im Realm ${realm}.`,
    anew: (serial) => `Das Token ${serial} bekommt einen neuen Schlüssel.`,
    forNobody: 'Noch für niemanden: Es kann später zugewiesen werden.',
    choosePerson: 'Zuerst die Person wählen',
    oldKeyEnds:
      'Mit dem ersten QR-Code endet der alte Schlüssel, auch wenn Sie danach abbrechen. Seine PIN bleibt, wenn Sie keine neue angeben.',
    kind: 'Art',
    kinds: {
      app: {
        name: 'QR-TAN-App',
        help: 'Zwei QR-Codes auf dem Bildschirm und ein Aktivierungscode auf anderem Weg, etwa als Brief.',
      },
      totp: {
        name: 'Authenticator-App',
        help: 'Ein QR-Code; die App zeigt sechs Ziffern für eine Anmeldung.',
      },
      pw: {
        name: 'Fester Text',
        help: 'Jedes Mal derselbe Text. Wer ihn einmal gelesen hat, kann sich anmelden.',
      },
      spass: { name: 'Nur PIN', help: 'Die Token-PIN genügt, ganz ohne Gerät.' },
      plain: {
        name: 'Gerät mit Schlüssel',
        help: 'Der Server erzeugt einen Schlüssel und zeigt ihn einmal. Das Token ist sofort bereit.',
      },
    },
    counting: 'Nach Zähler statt nach Uhr (HOTP)',
    countingHelp: 'Für Geräte ohne Uhr.',
    text: 'Fester Text',
    makeToken: 'Token anlegen',
    otpQr: 'QR-Code für die Authenticator-App',
    otpHelp: (serial) =>
      `Die Person scannt ihn mit der App oder öffnet den Link auf dem Telefon. Seriennummer: ${serial}`,
    description: 'Beschreibung (optional)',
    pin: 'Token-PIN (optional)',
    start: 'Ersten QR-Code zeigen',
    makeKey: 'Schlüssel erzeugen',
    step1: '1. Erster QR-Code',
    step1Help: (serial) => `Die Person scannt ihn mit der App. Seriennummer: ${serial}`,
    qr1: 'Erster QR-Code des Ausrollens',
    noApp: 'Die Person hat noch keine App',
    qrApp: 'QR-Code der Adresse der App',
    appStands: (serial) =>
      `Vor dem zweiten QR-Code muss die App „Der erste Schritt ist getan“ und die Seriennummer ${serial} zeigen.`,
    step2: '2. Aktivierungscode',
    codeLabel: 'Aktivierungscode',
    codeHelp: 'Der Code, den die Person auf anderem Weg bekommen hat und auch in die App eingibt.',
    makeCode: 'Code erzeugen',
    madeCode: 'Schicken Sie diesen Code auf einem anderen Weg als die QR-Codes.',
    message: 'Text, den die App zeigt',
    defaultMessage: 'Willkommen',
    showSecond: 'Zweiten QR-Code zeigen',
    step3: '3. Zweiter QR-Code',
    step3Help: 'Die Person scannt ihn mit der App und bestätigt. Diese Seite bemerkt die Antwort.',
    qr2: 'Zweiter QR-Code des Ausrollens',
    waiting: 'Wartet auf die erste Antwort der App …',
    wrong: (count) =>
      `Eine falsche Antwort ist gekommen (${count}). Wurde der Aktivierungscode in der App richtig eingegeben?`,
    fallen: 'Zu viele falsche Antworten: Das Token wartet wieder auf den Aktivierungscode.',
    ended:
      'Dieser zweite QR-Code nimmt keine Antworten mehr an: Er ist abgelaufen, oder ein anderer ist an seine Stelle getreten. Wählen Sie „Neuer zweiter QR-Code“.',
    noAddress:
      'Die App hat keine Adresse für ihre Antwort (Richtlinie qrtanurl). Geben Sie die Antwort unten ein.',
    addressMissing:
      'Keine Richtlinie gibt diesem Token eine Antwortadresse (qrtanurl): Apps weisen seine Codes ab.',
    addressesDiffer:
      'Richtlinien geben diesem Token mehrere Antwortadressen (qrtanurl): Seine Challenges werden abgewiesen.',
    addressByPolicies:
      'Es gibt Richtlinien mit qrtanurl, die zu diesem Token nicht passen. Bitten Sie jemanden, der Richtlinien ändern darf (system:write).',
    typed: 'Antwort, die die App zeigt',
    typedHelp: 'Für eine App ohne Netz.',
    check: 'Prüfen',
    typedWrong: 'Die Antwort ist falsch.',
    again: 'Neuer zweiter QR-Code',
    back: 'Anderer Aktivierungscode',
    ready: (serial) => `Das Token ${serial} ist bereit.`,
    toToken: 'Zum Token',
    keyOnce: 'Dieser Schlüssel wird einmal gezeigt. Niemand kann ihn später lesen.',
    key: 'Schlüssel, hexadezimal',
    keyQr: 'QR-Code des Schlüssels',
    finish: 'Fertig, Schlüssel verbergen',
    stop: 'Abbrechen',
    removeUnfinished: 'Abbrechen und das unfertige Token löschen',
  },
};
