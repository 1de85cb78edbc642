import type { Texts } from '../language/language.ts';

interface SignInTexts {
  readonly title: string;
  readonly name: string;
  readonly password: string;
  readonly showPassword: string;
  readonly signIn: string;
}

export const signInTexts: Texts<SignInTexts> = {
  en: {
    title: 'Sign in',
    name: 'User name',
    password: 'Password',
    showPassword: 'Show the password',
    signIn: 'Sign in',
  },
  de: {
    title: 'Anmelden',
    name: 'Benutzername',
    password: 'Passwort',
    showPassword: 'Passwort anzeigen',
    signIn: 'Anmelden',
  },
};
