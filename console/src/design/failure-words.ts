import { ServerFailure } from '../api/server-failure.ts';
import { type Language, useLanguage } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

/** A failure in words. */
export interface FailureWords {
  /** Undefined: the text says enough. */
  readonly title: string | undefined;
  readonly text: string;
  /** The language of the text, where it is not that of the console. */
  readonly language: Language | undefined;
  /** The next step; undefined: the text says it. */
  readonly next?: string | undefined;
}

/** The kind of work that failed: an act, a read that is repeated by itself, or one that the person may repeat. */
export type FailedKind = 'act' | 'goes-on' | 'ended';

/** A translation for the words of the server: in their place, or as a heading above what only they say. */
interface Translation {
  readonly instead?: string;
  readonly above?: string;
}

const NOT_TAKEN = { above: 'Diese Angaben nimmt der Server nicht an.' };
const CHANGED = { above: 'Jemand anderes hat das inzwischen geändert.' };
const NOT_THERE = { above: 'Das gibt es hier nicht.' };

/** By the code of the failure. */
const GERMAN: Readonly<Record<string, Translation>> = {
  'sign-in.refused/password': { instead: 'Benutzername oder Passwort ist falsch.' },
  'sign-in.refused/second-factor': { instead: 'Der zweite Faktor ist falsch.' },
  'sign-in.ended': { above: 'Das ist abgelaufen oder wurde schon verwendet.' },
  'sign-in.unavailable': { instead: 'Der Anmeldedienst ist nicht erreichbar.' },
  'second-factor.unusable': { above: 'Ihr zweiter Faktor lässt sich nicht verwenden.' },
  'confirmation.required': { above: 'Dazu müssen Sie bestätigen, dass Sie es sind.' },
  'confirmation.refused/password': { instead: 'Das Passwort ist falsch.' },
  'confirmation.refused/second-factor': { above: 'Der zweite Faktor wurde nicht angenommen.' },
  'passkey.unknown': NOT_THERE,
  'passkey.invalid': { above: 'Der Passkey wurde nicht angenommen.' },
  'right.missing': { above: 'Dazu fehlt Ihnen ein Recht.' },
  'too-many-requests': { instead: 'Zu viele Anfragen oder Versuche.' },
  'server.busy': { instead: 'Der Server ist gerade ausgelastet. Versuchen Sie es gleich noch einmal.' },
  'database.unavailable': { instead: 'Die Datenbank ist gerade nicht erreichbar.' },
  'security-module.unavailable': { instead: 'Das Sicherheitsmodul ist gerade nicht erreichbar.' },
  internal: { instead: 'Im Server ist ein Fehler aufgetreten. Er steht im Log des Servers.' },
  'user.unknown': { instead: 'Diesen Benutzer gibt es nicht, oder Sie dürfen ihn nicht sehen.' },
  'user.exists': { instead: 'Diesen Benutzer gibt es schon.' },
  'user.ambiguous': { above: 'Der Login passt auf mehrere Personen.' },
  'realm.unknown': NOT_THERE,
  'realm.changed': CHANGED,
  'resolver.unknown': NOT_THERE,
  'resolver.changed': CHANGED,
  'resolver.in-use': { above: 'Der Resolver wird noch gebraucht.' },
  'resolver.unavailable': { above: 'Der Resolver ist nicht erreichbar.' },
  'resolver.invalid': NOT_TAKEN,
  'token.unknown': { instead: 'Dieses Token gibt es nicht, oder Sie dürfen es nicht sehen.' },
  'token.exists': { instead: 'Diese Seriennummer hat schon ein anderes Token.' },
  'token.ambiguous': { above: 'Es gibt mehrere Token dieser Person.' },
  'token.not-ocra': { instead: 'Das ist kein OCRA-Token.' },
  'token.not-ready': { instead: 'Das Token hat noch keinen Schlüssel.' },
  'token.state': { above: 'Das geht mit dem Token in diesem Zustand nicht.' },
  'token.lost': {
    instead: 'Das Token ist als verloren gemeldet. Es wird nur aktiviert, wenn es sich wiedergefunden hat.',
  },
  'token.changed': CHANGED,
  'token.second-factor': { above: 'Mit diesem Token meldet sich jemand aus der Verwaltung an.' },
  'transaction.unknown': { instead: 'Diese Transaktion gibt es nicht, oder Sie dürfen sie nicht sehen.' },
  'challenge.too-long': { instead: 'Der Text ist zu lang für einen QR-Code.' },
  'challenge.no-question': {
    instead: 'Für diesen Text ist bei diesem Token keine Frage mehr frei. Bitte den Text ändern.',
  },
  'activation-code.invalid': { above: 'Der Aktivierungscode ist falsch.' },
  'parameter.missing': NOT_TAKEN,
  'parameter.invalid': NOT_TAKEN,
  'policy.unknown': NOT_THERE,
  'policy.invalid': NOT_TAKEN,
  'policy.changed': CHANGED,
  'administrator.unknown': NOT_THERE,
  'administrator.exists': { instead: 'Diesen Namen gibt es schon.' },
  'administrator.invalid': NOT_TAKEN,
  'configuration.invalid': NOT_TAKEN,
  'configuration.changed': CHANGED,
  'webhook.unknown': NOT_THERE,
  'webhook.invalid': NOT_TAKEN,
};

const NOT_TAKEN_IN_ENGLISH = { above: 'The server does not take these values.' };

/** Likewise, for failures whose words have a number of the old interface. */
const ENGLISH: Readonly<Record<string, Translation>> = {
  'right.missing': { above: 'You lack a right for this.' },
  'user.unknown': { instead: 'There is no such user, or you may not see them.' },
  'parameter.missing': NOT_TAKEN_IN_ENGLISH,
  'parameter.invalid': NOT_TAKEN_IN_ENGLISH,
  'too-many-requests': { instead: 'Too many requests or attempts.' },
  'security-module.unavailable': { instead: 'The security module cannot be reached at the moment.' },
};

/** The number of the old interface before the words of the server. */
const NUMBER = /^ERR\d+: /;

/** @returns a failure in the language of the console; in the words of the server where only they say it */
export function failureWords(error: Error, kind: FailedKind, language: Language): FailureWords {
  const t = designTexts[language];
  if (isWordless(error)) {
    return { language: undefined, ...wordsOfNone(error, kind, t) };
  }
  const { instead, above } = translationOf(error, language);
  const words =
    instead === undefined
      ? { text: error.message.replace(NUMBER, ''), language: languageOf(error) }
      : { text: instead, language: undefined };
  if (error instanceof ServerFailure && error.isAway && kind === 'goes-on') {
    return { ...words, title: above, next: t.goesOn };
  }
  const next = kind === 'goes-on' ? undefined : nextStep(error, t);
  return { ...words, title: above ?? t.failed, next };
}

function nextStep(error: Error, t: (typeof designTexts)[Language]): string | undefined {
  if (!(error instanceof ServerFailure)) {
    return undefined;
  }
  const { code, retryAfter } = error;
  if (code === 'right.missing') {
    return t.askForRight;
  }
  return code === 'too-many-requests' && retryAfter !== undefined ? t.tryIn(retryAfter) : undefined;
}

/** @returns the words for a failure of which the server, or what is in front of it, has said none */
function wordsOfNone(
  error: ServerFailure,
  kind: FailedKind,
  t: (typeof designTexts)[Language],
): Pick<FailureWords, 'title' | 'text'> {
  const away = { act: t.away, 'goes-on': t.awayGoesOn, ended: t.awayEnded };
  return error.isAway
    ? { title: undefined, text: away[kind] }
    : { title: t.failed, text: t.unreadable(error.status) };
}

/** @returns the words for failures in the language of the console */
export function useFailureWords(): (error: Error, kind?: FailedKind) => FailureWords {
  const language = useLanguage();
  return (error, kind = 'act') => failureWords(error, kind, language);
}

/** @returns the failure in one line, as a field shows it; undefined: there is none */
export function useFailureLine(): (error: Error | null) => string | undefined {
  const wordsOf = useFailureWords();
  const { failed } = designTexts[useLanguage()];
  return (error) => {
    if (error === null) {
      return undefined;
    }
    const { title, text } = wordsOf(error);
    return title === undefined || title === failed ? text : `${title} ${text}`;
  };
}

/** @returns the language of its message: the server's are in English, those of the console in its own */
function languageOf(error: Error): Language | undefined {
  return error instanceof ServerFailure ? 'en' : undefined;
}

/** @returns true for an answer that no server gave, or that cannot be read */
function isWordless(error: Error): error is ServerFailure {
  return error instanceof ServerFailure && error.message === '';
}

function translationOf(error: Error, language: Language): Translation {
  const code = error instanceof ServerFailure ? (error.code ?? '') : '';
  const words = language === 'de' ? GERMAN : ENGLISH;
  const [general = ''] = code.split('/');
  return words[code] ?? words[general] ?? {};
}
