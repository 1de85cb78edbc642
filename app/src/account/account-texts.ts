import type { Texts } from '../language/language.ts';
import type { AccountFault } from './account-api.ts';

interface AccountTexts {
  readonly faults: Readonly<Record<Extract<AccountFault, string>, string>>;
  readonly loading: string;
  readonly signInTitle: string;
  readonly signInText: string;
  readonly user: string;
  readonly realm: string;
  readonly realmHint: string;
  readonly password: string;
  readonly next: string;
  readonly missingTitle: string;
  readonly missing: string;
  readonly confirmTitle: string;
  readonly confirmText: (end: string) => string;
  readonly useOther: (end: string) => string;
  readonly timeLeft: string;
  readonly code: string;
  readonly openApp: string;
  readonly waiting: string;
  readonly response: string;
  readonly responseHint: string;
  readonly appCodeText: (end: string) => string;
  readonly appCode: string;
  readonly appCodeHint: string;
  readonly confirm: string;
  readonly title: string;
  readonly signedInAs: (login: string) => string;
  readonly states: Readonly<Record<'active' | 'locked' | 'off' | 'rollout' | 'unfinished', string>>;
  readonly present: string;
  readonly serial: string;
  readonly lastUse: string;
  readonly never: string;
  readonly rename: (token: string) => string;
  readonly description: string;
  readonly save: string;
  readonly cancel: string;
  readonly lock: (token: string) => string;
  readonly lockText: string;
  readonly lockOwnText: string;
  readonly lockNow: string;
  readonly renamed: string;
  readonly lockedNow: string;
  readonly lockedOwn: string;
  readonly enrol: string;
  readonly signOut: string;
  readonly enrolTitle: string;
  readonly enrolText: string;
  readonly enrolNote: string;
  readonly enrolConfirmTitle: string;
  readonly firstTitle: string;
  readonly firstText: string;
  readonly firstCode: string;
  readonly secondTitle: string;
  readonly secondText: string;
  readonly secondCode: string;
  readonly activationCode: string;
  readonly added: string;
  readonly enrolApp: string;
  readonly enrolAppNote: string;
  readonly appTitle: string;
  readonly appText: string;
  readonly appQrCode: string;
  readonly openAuthenticator: string;
  readonly appAdded: string;
}

export const accountTexts: Texts<AccountTexts> = {
  en: {
    faults: {
      refused: 'User name or password is wrong, or you have no phone that can confirm. Ask your helpdesk.',
      strict:
        'A single wrong response would lock your phone, so it cannot be used to sign in here. Ask your helpdesk.',
      wrong: 'This response was not right. Please try again.',
      ended: 'This sign-in has ended. Please sign in again.',
      unconfirmed: 'Your phone has not confirmed it: it was declined, wrong, or too late. Please try again.',
      unfinished:
        'The new phone was not set up: it was declined, or its responses were wrong. Please begin again.',
      missing: 'This is not offered here.',
      limited: 'Too many attempts. Please wait a few minutes.',
      'no-connection': 'The server cannot be reached. Please try again.',
    },
    loading: 'One moment …',
    signInTitle: 'Sign in to your account',
    signInText: 'Sign in with your password and a phone that you use already.',
    user: 'User name',
    realm: 'Realm',
    realmHint: 'Leave it empty unless you were given one.',
    password: 'Password',
    next: 'Continue',
    missingTitle: 'There is no account page here',
    missing: 'This server does not offer it. Ask your helpdesk.',
    confirmTitle: 'Confirm the sign-in',
    confirmText: (end) =>
      `Scan this code with your phone whose serial number ends in ${end}. Confirm only what you do here yourself.`,
    useOther: (end) => `Use the phone ${end} instead`,
    timeLeft: 'Time left',
    code: 'QR code for your QR-TAN app',
    openApp: 'Open in the app on this device',
    waiting: 'Waiting for your confirmation.',
    response: 'Or type the digits that the app shows',
    responseHint:
      'If your helpdesk gave you a PIN for it, type that before the digits. It is not the PIN of the app.',
    appCodeText: (end) =>
      `Type the code that your authenticator app shows, or your token whose serial number ends in ${end}.`,
    appCode: 'Code',
    appCodeHint: 'The digits alone, without a PIN. Each code serves once.',
    confirm: 'Confirm',
    title: 'Your phones',
    signedInAs: (login) => `You are signed in as ${login}.`,
    states: {
      active: 'Ready.',
      locked: 'Blocked after too many wrong responses. Ask your helpdesk.',
      off: 'Locked.',
      rollout: 'Being set up.',
      unfinished: 'Not set up.',
    },
    present: 'You signed in with it.',
    serial: 'Serial number',
    lastUse: 'Last used',
    never: 'never',
    rename: (token) => `Rename “${token}”`,
    description: 'Name of the phone',
    save: 'Save',
    cancel: 'Cancel',
    lock: (token) => `Lock “${token}”`,
    lockText: 'It confirms nothing any more. Only your helpdesk can undo this.',
    lockOwnText: 'You signed in with it: you will be signed out. Only your helpdesk can undo this.',
    lockNow: 'Lock now',
    renamed: 'The new name is saved.',
    lockedNow: 'The phone is locked.',
    lockedOwn: 'The phone is locked, and you are signed out.',
    enrol: 'Add another phone',
    signOut: 'Sign out',
    enrolTitle: 'Add another phone',
    enrolText: 'You confirm it with the phone with which you signed in.',
    enrolNote:
      'With two phones, a website where you confirm something must know which one to ask. Ask your helpdesk whether yours does before you add one.',
    enrolConfirmTitle: 'Confirm the new phone',
    firstTitle: 'First code for the new phone',
    firstText: 'Open the app on the new phone and scan this code. Then go on.',
    firstCode: 'First QR code for the new phone',
    secondTitle: 'Second code for the new phone',
    secondText: 'Scan this code with the new phone, and type the activation code there.',
    secondCode: 'Second QR code for the new phone',
    activationCode: 'Activation code',
    added: 'The new phone is ready.',
    enrolApp: 'Add an authenticator app',
    enrolAppNote:
      'An authenticator app shows a new code every half minute. Type it only at pages that you have opened yourself: unlike your QR-TAN app, it does not tell what you confirm.',
    appTitle: 'Code for the authenticator app',
    appText: 'Scan this code with your authenticator app, and type the first code that it shows.',
    appQrCode: 'QR code for your authenticator app',
    openAuthenticator: 'Open in the authenticator app on this device',
    appAdded: 'The authenticator app is ready.',
  },
  de: {
    faults: {
      refused:
        'Benutzername oder Passwort ist falsch, oder Sie haben kein Telefon, das bestätigen kann. Fragen Sie Ihren Helpdesk.',
      strict:
        'Eine einzige falsche Antwort würde Ihr Telefon sperren. Darum können Sie sich damit hier nicht anmelden. Fragen Sie Ihren Helpdesk.',
      wrong: 'Diese Antwort war nicht richtig. Bitte versuchen Sie es noch einmal.',
      ended: 'Diese Anmeldung ist beendet. Bitte melden Sie sich neu an.',
      unconfirmed:
        'Ihr Telefon hat nicht bestätigt: abgelehnt, falsch oder zu spät. Bitte versuchen Sie es noch einmal.',
      unfinished:
        'Das neue Telefon wurde nicht eingerichtet: abgelehnt, oder seine Antworten waren falsch. Bitte beginnen Sie neu.',
      missing: 'Das wird hier nicht angeboten.',
      limited: 'Zu viele Versuche. Bitte warten Sie einige Minuten.',
      'no-connection': 'Der Server ist nicht erreichbar. Bitte versuchen Sie es noch einmal.',
    },
    loading: 'Einen Moment …',
    signInTitle: 'An Ihrem Konto anmelden',
    signInText: 'Melden Sie sich mit Ihrem Passwort und einem Telefon an, das Sie schon benutzen.',
    user: 'Benutzername',
    realm: 'Realm',
    realmHint: 'Lassen Sie das leer, wenn Ihnen keiner genannt wurde.',
    password: 'Passwort',
    next: 'Weiter',
    missingTitle: 'Hier gibt es keine Kontoseite',
    missing: 'Dieser Server bietet sie nicht an. Fragen Sie Ihren Helpdesk.',
    confirmTitle: 'Anmeldung bestätigen',
    confirmText: (end) =>
      `Lesen Sie diesen Code mit Ihrem Telefon, dessen Seriennummer auf ${end} endet. Bestätigen Sie nur, was Sie hier selbst tun.`,
    useOther: (end) => `Stattdessen das Telefon ${end} benutzen`,
    timeLeft: 'Verbleibende Zeit',
    code: 'QR-Code für Ihre QR-TAN-App',
    openApp: 'In der App auf diesem Gerät öffnen',
    waiting: 'Ihre Bestätigung wird erwartet.',
    response: 'Oder die Ziffern aus der App eingeben',
    responseHint:
      'Wenn Ihnen der Helpdesk dafür eine PIN gegeben hat, geben Sie diese vor den Ziffern ein. Es ist nicht die PIN der App.',
    appCodeText: (end) =>
      `Geben Sie den Code ein, den Ihre Authenticator-App zeigt, oder Ihr Token, dessen Seriennummer auf ${end} endet.`,
    appCode: 'Code',
    appCodeHint: 'Nur die Ziffern, ohne PIN. Jeder Code gilt einmal.',
    confirm: 'Bestätigen',
    title: 'Ihre Telefone',
    signedInAs: (login) => `Sie sind als ${login} angemeldet.`,
    states: {
      active: 'Bereit.',
      locked: 'Gesperrt nach zu vielen falschen Antworten. Fragen Sie Ihren Helpdesk.',
      off: 'Gesperrt.',
      rollout: 'Wird eingerichtet.',
      unfinished: 'Nicht eingerichtet.',
    },
    present: 'Damit haben Sie sich angemeldet.',
    serial: 'Seriennummer',
    lastUse: 'Zuletzt benutzt',
    never: 'nie',
    rename: (token) => `„${token}“ umbenennen`,
    description: 'Name des Telefons',
    save: 'Speichern',
    cancel: 'Abbrechen',
    lock: (token) => `„${token}“ sperren`,
    lockText: 'Es bestätigt dann nichts mehr. Nur Ihr Helpdesk kann das rückgängig machen.',
    lockOwnText:
      'Damit haben Sie sich angemeldet: Sie werden abgemeldet. Nur Ihr Helpdesk kann das rückgängig machen.',
    lockNow: 'Jetzt sperren',
    renamed: 'Der neue Name ist gespeichert.',
    lockedNow: 'Das Telefon ist gesperrt.',
    lockedOwn: 'Das Telefon ist gesperrt, und Sie sind abgemeldet.',
    enrol: 'Weiteres Telefon hinzufügen',
    signOut: 'Abmelden',
    enrolTitle: 'Weiteres Telefon hinzufügen',
    enrolText: 'Sie bestätigen es mit dem Telefon, mit dem Sie sich angemeldet haben.',
    enrolNote:
      'Bei zwei Telefonen muss eine Website, auf der Sie etwas bestätigen, wissen, welches sie fragt. Fragen Sie Ihren Helpdesk, ob Ihre das weiß, bevor Sie eines hinzufügen.',
    enrolConfirmTitle: 'Neues Telefon bestätigen',
    firstTitle: 'Erster Code für das neue Telefon',
    firstText: 'Öffnen Sie die App auf dem neuen Telefon und lesen Sie diesen Code. Dann geht es weiter.',
    firstCode: 'Erster QR-Code für das neue Telefon',
    secondTitle: 'Zweiter Code für das neue Telefon',
    secondText: 'Lesen Sie diesen Code mit dem neuen Telefon, und geben Sie dort den Aktivierungscode ein.',
    secondCode: 'Zweiter QR-Code für das neue Telefon',
    activationCode: 'Aktivierungscode',
    added: 'Das neue Telefon ist bereit.',
    enrolApp: 'Authenticator-App hinzufügen',
    enrolAppNote:
      'Eine Authenticator-App zeigt jede halbe Minute einen neuen Code. Geben Sie ihn nur auf Seiten ein, die Sie selbst geöffnet haben: Anders als Ihre QR-TAN-App sagt sie nicht, was Sie bestätigen.',
    appTitle: 'Code für die Authenticator-App',
    appText:
      'Lesen Sie diesen Code mit Ihrer Authenticator-App, und geben Sie den ersten Code ein, den sie zeigt.',
    appQrCode: 'QR-Code für Ihre Authenticator-App',
    openAuthenticator: 'In der Authenticator-App auf diesem Gerät öffnen',
    appAdded: 'Die Authenticator-App ist bereit.',
  },
};
