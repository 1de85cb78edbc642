import { Alert, List } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Texts, useLanguage, useTexts } from '../language/language.ts';
import { type Consequence, consequenceWords } from './consequence-words.ts';

interface ConsequenceTexts {
  readonly nothing: string;
  readonly follows: string;
  readonly lockOut: string;
}

const texts: Texts<ConsequenceTexts> = {
  en: { nothing: 'Nothing else depends on it.', follows: 'What follows', lockOut: 'This locks out' },
  de: { nothing: 'Sonst hängt nichts davon ab.', follows: 'Was daraus folgt', lockOut: 'Das sperrt aus' },
};

interface ConsequenceListProps {
  readonly list: readonly Consequence[];
  /** True where somebody could not sign in or act any more. */
  readonly locksOut?: boolean;
  /** The words for an empty list. */
  readonly nothing?: string;
}

/** The consequences of an act; read aloud when it appears. */
export function ConsequenceList({ list, locksOut = false, nothing }: ConsequenceListProps): ReactNode {
  const t = useTexts(texts);
  const shown = useLanguage();
  if (list.length === 0) {
    return <p>{nothing ?? t.nothing}</p>;
  }
  return (
    <Alert
      mt="md"
      color={locksOut ? 'red' : 'yellow'}
      title={locksOut ? t.lockOut : t.follows}
      role={locksOut ? 'alert' : 'status'}
    >
      <List size="sm" mt="xs">
        {list.map((one) => {
          const { text, language } = consequenceWords(one, shown);
          return (
            <List.Item key={`${one.code} ${one.text}`} lang={language}>
              {text}
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}
