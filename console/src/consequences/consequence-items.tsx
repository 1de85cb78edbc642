import { List } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../language/language.ts';
import { type Consequence, consequenceWords } from './consequence-words.ts';

/** Consequences as a list. */
export function ConsequenceItems({ list }: { readonly list: readonly Consequence[] }): ReactNode {
  const shown = useLanguage();
  return (
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
  );
}
