import type { Texts } from '../language/language.ts';

interface SignInTexts {
  readonly title: string;
  /** Without a name, which the next person at this browser must not read. */
  readonly sessionEnded: string;
  readonly name: string;
  readonly password: string;
  readonly signIn: string;
  /** After too many attempts. */
  readonly help: string;
  readonly secondFactor: string;
  readonly or: string;
  readonly singleSignOn: (provider: string | null) => string;
  /** By the word of the server. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly failed: string;
  readonly linkTitle: string;
  readonly linkLead: string;
  readonly passkeyName: string;
  readonly passkeyNameHint: string;
  readonly makePasskey: string;
  readonly linkDone: string;
  readonly toSignIn: string;
  readonly unsupported: string;
  readonly notMade: string;
}

export const signInTexts: Texts<SignInTexts> = {
  en: {
    title: 'Sign in',
    sessionEnded: 'Your session has ended. Sign in again to go on where you were.',
    name: 'User name',
    password: 'Password',
    signIn: 'Sign in',
    help: 'If you have forgotten your password, another administrator can set a new one.',
    secondFactor: 'Second factor',
    or: 'or',
    singleSignOn: (provider) => (provider === null ? 'Single sign-on' : `Sign in with ${provider}`),
    outcomes: {
      provider: 'The identity provider did not sign you in.',
      groups: 'None of your groups may sign in here. Ask your administrator.',
      name: 'The identity provider gave no name that this server takes.',
      ended: 'That took too long, or was begun in another browser. Begin again.',
      unavailable: 'The identity provider cannot be reached. Try again later, or use a password.',
    },
    failed: 'Single sign-on has failed. Begin again.',
    linkTitle: 'Set up a passkey',
    linkLead:
      'This link is for one passkey, which you then need besides your password. Choose this device, a phone or a security key.',
    passkeyName: 'Name of the passkey',
    passkeyNameHint: 'So that you know it again, such as laptop or phone.',
    makePasskey: 'Set up the passkey',
    linkDone: 'The passkey is set up. Sign in with your password and the passkey.',
    toSignIn: 'To the sign-in',
    unsupported: 'This browser knows no passkeys. Use another one; the link stays valid.',
    notMade:
      'No passkey was made: it was cancelled, took too long, or the device has one for this server already.',
  },
  de: {
    sessionEnded:
      'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an, dann geht es an derselben Stelle weiter.',
    title: 'Anmelden',
    name: 'Benutzername',
    password: 'Passwort',
    signIn: 'Anmelden',
    help: 'Wenn Sie Ihr Passwort vergessen haben, kann jemand anderes aus der Administration ein neues setzen.',
    secondFactor: 'Zweiter Faktor',
    or: 'oder',
    singleSignOn: (provider) => (provider === null ? 'Single Sign-on' : `Anmelden mit ${provider}`),
    outcomes: {
      provider: 'Der Anmeldedienst hat Sie nicht angemeldet.',
      groups: 'Keine Ihrer Gruppen darf sich hier anmelden. Fragen Sie Ihre Administration.',
      name: 'Der Anmeldedienst hat keinen Namen genannt, den dieser Server annimmt.',
      ended: 'Das hat zu lange gedauert oder begann in einem anderen Browser. Beginnen Sie neu.',
      unavailable:
        'Der Anmeldedienst ist nicht erreichbar. Versuchen Sie es später oder verwenden Sie ein Passwort.',
    },
    failed: 'Single Sign-on ist fehlgeschlagen. Beginnen Sie neu.',
    linkTitle: 'Passkey einrichten',
    linkLead:
      'Dieser Link gilt für einen Passkey, den Sie danach zusätzlich zum Passwort brauchen. Wählen Sie dieses Gerät, ein Telefon oder einen Sicherheitsschlüssel.',
    passkeyName: 'Name des Passkeys',
    passkeyNameHint: 'Damit Sie ihn wiedererkennen, etwa Laptop oder Telefon.',
    makePasskey: 'Passkey einrichten',
    linkDone: 'Der Passkey ist eingerichtet. Melden Sie sich mit Passwort und Passkey an.',
    toSignIn: 'Zur Anmeldung',
    unsupported: 'Dieser Browser kennt keine Passkeys. Verwenden Sie einen anderen; der Link bleibt gültig.',
    notMade:
      'Kein Passkey wurde angelegt: abgebrochen, zu spät, oder das Gerät hat schon einen für diesen Server.',
  },
};
